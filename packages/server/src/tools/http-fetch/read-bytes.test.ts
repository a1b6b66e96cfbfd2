import { Readable } from 'node:stream'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { maxResponseBytes, readBytes } from './read-bytes.ts'

const read = async (bytes: Buffer, encoding = ''): Promise<string> =>
  (await readBytes(Readable.from(bytes.length === 0 ? [] : [bytes]), { encoding })).toString()

const text = Buffer.from('Grüße '.repeat(100))
const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * 1024 * 1024)
const tooLarge = 'The response is larger than 1048576 bytes.'

describe('a body is read', () => {
  test.each([
    ['', text],
    ['identity', text],
    ['gzip', gzipSync(text)],
    [' GZIP ', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
  ])('encoded as "%s"', async (encoding, bytes) => {
    expect(await read(bytes, encoding)).toBe(text.toString())
  })

  test('that is empty, whatever its encoding', async () => {
    expect(await read(Buffer.alloc(0), 'gzip')).toBe('')
  })

  test.each([
    ['', zeros(1)],
    ['gzip', gzipSync(zeros(1))],
    ['br', brotliCompressSync(zeros(1))],
  ])('up to the limit, encoded as "%s"', async (encoding, bytes) => {
    expect(await read(bytes, encoding)).toHaveLength(maxResponseBytes)
  })
})

describe('a body is not read', () => {
  const oneMore = Buffer.alloc(maxResponseBytes + 1)

  test.each([
    ['', oneMore],
    ['gzip', gzipSync(oneMore)],
    ['deflate', deflateSync(oneMore)],
    ['deflate', deflateRawSync(oneMore)],
    ['br', brotliCompressSync(oneMore)],
  ])('one byte beyond the limit, encoded as "%s"', async (encoding, bytes) => {
    await expect(read(bytes, encoding)).rejects.toThrow(tooLarge)
  })

  test.each([
    ['zstd', text, 'The response has the content encoding "zstd", which is not supported.'],
    [
      'gzip,gzip',
      gzipSync(gzipSync(text)),
      'The response has the content encoding "gzip,gzip", which is not supported.',
    ],
    ['__proto__', text, 'The response has the content encoding "__proto__", which is not supported.'],
    ['gzip', text, 'The response is not valid gzip, although its content-encoding header says so.'],
    ['br', text, 'The response is not valid br, although its content-encoding header says so.'],
    ['deflate', Buffer.from('x'), 'The response is not valid deflate, although its content-encoding header says so.'],
    [
      'gzip',
      gzipSync(text).subarray(0, -10),
      'The response is not valid gzip, although its content-encoding header says so.',
    ],
  ])('encoded as "%s", which is invalid or unknown', async (encoding, bytes, problem) => {
    await expect(read(bytes, encoding)).rejects.toThrow(problem)
  })

  test('beyond the limit, however much there is', async () => {
    let given = 0
    const endless = Readable.from(
      (function* () {
        for (;;) {
          given += 64 * 1024
          yield Buffer.alloc(64 * 1024)
        }
      })(),
    )
    await expect(readBytes(endless, { encoding: '' })).rejects.toThrow(tooLarge)
    expect(given).toBeLessThan(3 * maxResponseBytes)
    expect(endless.destroyed).toBe(true)
  })
})

test('a bomb of 300 MiB takes no more memory than the limit', async () => {
  const bomb = gzipSync(zeros(300))
  const before = process.memoryUsage().arrayBuffers
  await expect(read(bomb, 'gzip')).rejects.toThrow(tooLarge)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * maxResponseBytes)
})
