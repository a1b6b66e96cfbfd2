import { describe, expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../test/support/cpu-time.ts'
import { MessageMeter, type MeterOptions } from './message-meter.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function problemOf(endsWith: MeterOptions['endsWith'], ...chunks: string[]): string | undefined {
  const meter = new MessageMeter({ maxBytes: 20, maxParts: 3, endsWith })
  return chunks.map((chunk) => meter.findProblem(bytes(chunk))).find((problem) => problem !== undefined)
}

const tooLong = 'a message has more than 20 bytes'
const tooMany = 'a message has more than 3 keys and values'

describe('lines', () => {
  test.each([
    [['[1,2]\n', '{"a":1}\r\n', '"[,,,,]\\"[,,,,"\n', '[1,', '2]\n[1,2]'], undefined],
    [['"open\n[1,2]\n', '\\\n"a"'], undefined],
    [['[1,2', ',3]'], tooMany],
    [['{"a":{"b":1}}'], tooMany],
    [['"\\', '"",,,,'], tooMany],
    [['"open\n[1,2,3]'], tooMany],
    [['"0123456789', '0123456789"'], tooLong],
  ])('%j', (chunks, problem) => {
    expect(problemOf('line', ...chunks)).toBe(problem)
  })
})

describe('events, which an empty line ends', () => {
  test.each([
    [['data:[1]\n\ndata:[1]\r\n\r\ndata:[1]\n', '\n', 'data:[1]'], undefined],
    [['data:[1,\n', 'data:2]\n\n'], tooMany],
    [['event: "\ndata:[1,2'], tooMany],
    [['data:123456\n', 'data:12345678'], tooLong],
  ])('%j', (chunks, problem) => {
    expect(problemOf('empty line', ...chunks)).toBe(problem)
  })
})

test('otherwise all bytes are one message', () => {
  expect(problemOf('stream', '[\n\n1,\n2\n]')).toBeUndefined()
  expect(problemOf('stream', '[1,\n\n2,\n3]')).toBe(tooMany)
})

test('to count a mebibyte takes a moment', async () => {
  const chunk = bytes('{"a":[1,'.repeat(128 * 1024))
  const meter = () => new MessageMeter({ maxBytes: chunk.length, maxParts: chunk.length, endsWith: 'line' })
  expect(await longestTurnMs(() => meter().findProblem(chunk))).toBeLessThan(promisedTurnMs)
})
