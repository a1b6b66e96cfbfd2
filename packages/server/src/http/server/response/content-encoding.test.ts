import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chooseEncoding } from './content-encoding.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0, br;q=0', undefined],
  ['gzip; q=0.000', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=nonsense', undefined],
])('Accept-Encoding %j selects %j', (header, name) => {
  expect(chooseEncoding(header)?.name).toBe(name)
})

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
])('%s gives the text back', async (name, decompress) => {
  const text = 'Grüße 🚀 '.repeat(1_000)
  const compressed = await chooseEncoding(name)?.compress(text)
  expect(decompress(compressed as Buffer).toString('utf8')).toBe(text)
  expect(compressed?.length).toBeLessThan(1_000)
})
