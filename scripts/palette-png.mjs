// @ts-check
// Makes screenshots small: an RGB picture of Chromium becomes one with a palette of 256 colours, a third of the size. A
// page has few colours; those that are left out are shades at the edges of letters, and get the nearest that is kept.
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const bytesPerPixel = 3
const mostColours = 256

/** @param {Buffer} png */
function* chunksOf(png) {
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
}

/** @param {Buffer} png */
function readPng(png) {
  const chunks = [...chunksOf(png)]
  const header = chunks.find(({ type }) => type === 'IHDR')?.data
  if (header?.readUInt16BE(8) !== 0x0802) throw new Error('The picture is not an RGB PNG of 8 bits.')
  const lines = inflateSync(Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : []))))
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  return { width, height, pixels: unfiltered(lines, width * bytesPerPixel, height) }
}

/**
 * Every line of a PNG begins with the number of its filter: how its bytes are predicted from those before and above.
 * @param {Buffer} lines
 * @param {number} stride
 * @param {number} height
 */
function unfiltered(lines, stride, height) {
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x < bytesPerPixel ? 0 : (pixels[at - bytesPerPixel] ?? 0)
      const above = y === 0 ? 0 : (pixels[at - stride] ?? 0)
      const corner = x < bytesPerPixel || y === 0 ? 0 : (pixels[at - stride - bytesPerPixel] ?? 0)
      pixels[at] = (lines[at + y + 1] ?? 0) + predicted(filter, { left, above, corner })
    }
  }
  return pixels
}

/**
 * @param {number} filter
 * @param {{ left: number, above: number, corner: number }} around
 */
function predicted(filter, { left, above, corner }) {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)]
  const toCorner = Math.abs(left + above - 2 * corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

/** @param {Buffer} pixels */
function countColours(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  for (let at = 0; at < pixels.length; at += bytesPerPixel) {
    const colour = pixels.readUIntBE(at, bytesPerPixel)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return counts
}

/**
 * @param {number} one
 * @param {number} other
 */
const distance = (one, other) =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)

/**
 * The palette, and the place in it for every colour. Each next colour is the one that costs most if it is left out: a
 * rare colour that is far from all others is kept before a frequent shade of one that is there already.
 * @param {ReadonlyMap<number, number>} counts
 */
function choosePalette(counts) {
  const colours = [...counts].map(([colour, count]) => ({ colour, count, place: 0, error: Number.POSITIVE_INFINITY }))
  /** @type {number[]} */
  const palette = []
  while (palette.length < Math.min(mostColours, colours.length)) {
    const next = colours.reduce((one, other) => (other.error * other.count > one.error * one.count ? other : one))
    for (const each of colours) {
      const error = distance(each.colour, next.colour)
      if (error < each.error) Object.assign(each, { place: palette.length, error })
    }
    palette.push(next.colour)
  }
  return { palette, places: new Map(colours.map(({ colour, place }) => [colour, place])) }
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

/**
 * @param {Buffer} png
 * @returns {Buffer}
 */
export function withPalette(png) {
  const { width, height, pixels } = readPng(png)
  const { palette, places } = choosePalette(countColours(pixels))
  const lines = Buffer.alloc((width + 1) * height)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const colour = pixels.readUIntBE(pixel * bytesPerPixel, bytesPerPixel)
    lines[pixel + Math.floor(pixel / width) + 1] = places.get(colour) ?? 0
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each pixel, which are a place in the palette.
  header.writeUInt16BE(0x0803, 8)
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
