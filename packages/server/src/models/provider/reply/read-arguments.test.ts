import { describe, expect, test } from 'vitest'
import { readArguments } from './read-arguments.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('arguments', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [' \n', {}],
    ['[1]', [1]],
    ['null', null],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['"plain text"', 'plain text'],
    [String.raw`{"a\u0000":"\ud83d \ud83d\ude00"}`, { 'a\uFFFD': '\uFFFD 😀' }],
    ['{"huge":1e999}', { huge: null }],
  ])('%j becomes %j', (text, value) => {
    expect(readArguments(text)).toEqual(value)
  })

  test.each(['{"a":', 'two plus two', nested(65), nested(100_000)])(
    'case %# is not usable JSON and stays text',
    (text) => {
      expect(readArguments(text)).toBe(text)
    },
  )

  test('64 levels are not too deep', () => {
    expect(readArguments(nested(64))).toEqual(JSON.parse(nested(64)))
  })
})
