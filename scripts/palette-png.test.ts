import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { withPalette } from './palette-png.mjs'

const chunk = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])))
  return Buffer.concat([length, Buffer.from(type), data, check])
}

/** A picture of RGB pixels, as lines that begin with their filter. */
const rgbPng = (width: number, lines: readonly (readonly number[])[], colourType = 2) => {
  const header = Buffer.from([0, 0, 0, width, 0, 0, 0, lines.length, 8, colourType, 0, 0, 0])
  const data = deflateSync(Buffer.from(lines.flat()))
  return Buffer.concat([Buffer.alloc(8), chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** The colours of the lines of a picture with a palette. */
const read = (png: Buffer) => {
  const parts = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    parts.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += 12 + length
  }
  const width = parts.get('IHDR')?.readUInt32BE(0) ?? 0
  const lines = [...inflateSync(parts.get('IDAT') ?? Buffer.alloc(0))]
  const colour = (place: number) => [...(parts.get('PLTE') ?? []).slice(place * 3, place * 3 + 3)]
  return lines.flatMap((place, at) => (at % (width + 1) === 0 ? [] : [colour(place)]))
}

test('every filter is undone, and few colours stay as they are', () => {
  const png = rgbPng(2, [
    [0, 10, 20, 30, 40, 50, 60],
    [1, 10, 20, 30, 5, 5, 5],
    [2, 1, 1, 1, 2, 2, 2],
    [3, 100, 100, 100, 1, 1, 1],
    [4, 1, 2, 3, 4, 5, 6],
  ])
  expect(read(withPalette(png))).toEqual([
    [10, 20, 30],
    [40, 50, 60],
    [10, 20, 30],
    [15, 25, 35],
    [11, 21, 31],
    [17, 27, 37],
    [105, 110, 115],
    [62, 69, 77],
    [106, 112, 118],
    [66, 74, 83],
  ])
})

test('with too many colours, a shade becomes the nearest one that is kept', () => {
  const shades = Array.from({ length: 256 }, (_, shade) => [shade, shade, shade])
  const line = (colours: number[][]) => [0, ...colours.flat()]
  const half = (from: number) => shades.slice(from, from + 128)
  // Every shade twice, and one more colour once.
  const lines = [line(half(0)), line(half(128)), line(half(0)), line([...half(128).slice(1), [200, 200, 201]])]
  const last = read(withPalette(rgbPng(128, lines))).at(-1)
  expect(last).toEqual([200, 200, 200])
})

test('a rare colour that is far from all others is kept', () => {
  const shades = Array.from({ length: 256 }, (_, shade) => [shade, shade, shade, shade, shade, shade]).flat()
  const png = rgbPng(128, [
    [0, ...shades.slice(0, 384)],
    [0, ...shades.slice(384, 768)],
    [0, ...shades.slice(768, 1152)],
    [0, ...shades.slice(1152, 1533), 255, 0, 0],
  ])
  expect(read(withPalette(png)).at(-1)).toEqual([255, 0, 0])
})

test('another kind of picture is refused', () => {
  expect(() => withPalette(rgbPng(1, [[0, 1, 2, 3, 4]], 6))).toThrow('not an RGB PNG')
})
