// @ts-check
// Whether a picture of the console shows a page, and not only the menu beside bars that say that it loads.
import { inflateSync } from 'node:zlib'

/** The menu of the console is left of this part of the width. */
const menuShare = 0.2
/** A page of the console has up to a half. One that loads has more than four fifths. */
export const mostBlank = 0.6

/**
 * The share of lines that have one colour only, beside the menu.
 * @param {Buffer} png as `withPalette` writes it: a byte for each pixel, lines without filters
 */
export function blankShare(png) {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const pixels = inflateSync(Buffer.concat(dataOf(png)))
  let blank = 0
  for (let line = 0; line < height; line += 1) {
    const start = line * (width + 1) + 1
    const shown = pixels.subarray(start + Math.floor(width * menuShare), start + width)
    if (shown.every((pixel) => pixel === shown[0])) blank += 1
  }
  return blank / height
}

/** @param {Buffer} png */
function dataOf(png) {
  const parts = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
  }
  return parts
}
