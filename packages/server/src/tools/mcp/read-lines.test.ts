import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { maxLineLength, readLines } from './read-lines.ts'

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, (line) => lines.push(line))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await finished(stream)
  return lines
}

test('lines come one by one, however they were cut', async () => {
  expect(await linesOf('one\ntw', 'o\r\n\n', 'three')).toEqual(['one', 'two', 'three'])
})

test('a character that was cut in two comes whole', async () => {
  const [first, second] = [Buffer.from('ö').subarray(0, 1), Buffer.from('ö').subarray(1)]
  expect(await linesOf(first, second)).toEqual(['ö'])
})

test('of a long line, and of an endless one, only the beginning is read', async () => {
  const lines = await linesOf(`${'a'.repeat(5_000)}\n`, 'b'.repeat(5_000), 'c'.repeat(5_000), 'c\nd')
  expect(lines).toEqual(['a'.repeat(maxLineLength), 'b'.repeat(maxLineLength), 'd'])
})
