// Every picture of the docs shows a page with content: one that was taken too early has only grey bars.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { blankShare, mostBlank } from './picture-content.mjs'

const folder = join(import.meta.dirname, '../docs/images')
const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'))

test.each(pictures)('%s shows a page with content', (name) => {
  expect(blankShare(readFileSync(join(folder, name)))).toBeLessThan(mostBlank)
})

/** A picture of 10 × 10 pixels in which `isWritten` lines have two colours. */
function picture(isWritten: (line: number) => boolean): Buffer {
  const lines = Array.from({ length: 10 }, (_, line) => [0, ...Array(9).fill(1), isWritten(line) ? 2 : 1])
  const data = deflateSync(Buffer.from(lines.flat()))
  const header = Buffer.alloc(33)
  header.writeUInt32BE(13, 8)
  header.writeUInt32BE(10, 16)
  header.writeUInt32BE(10, 20)
  const chunk = Buffer.alloc(8)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write('IDAT', 4)
  return Buffer.concat([header, chunk, data, Buffer.alloc(4)])
}

test('a picture of bars is found', () => {
  expect(blankShare(picture((line) => line === 3))).toBe(0.9)
  expect(blankShare(picture(() => true))).toBe(0)
})
