import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readArguments, readOutput } from './model-json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('arguments', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [' \n', {}],
    ['[1]', [1]],
    ['null', null],
    [String.raw`{"a\u0000":"\ud83d \ud83d\ude00"}`, { 'a\uFFFD': '\uFFFD 😀' }],
    ['{"huge":1e999}', { huge: null }],
  ])('%j becomes %j', (text, value) => {
    expect(readArguments(text)).toEqual(value)
  })

  test.each(['{"a":', 'two plus two', nested(65), nested(100_000)])(
    'case %# is no usable JSON and stays text',
    (text) => {
      expect(readArguments(text)).toBe(text)
    },
  )

  test('64 levels are not too deep', () => {
    expect(readArguments(nested(64))).toEqual(JSON.parse(nested(64)))
  })
})

describe('an output', () => {
  const schema = z.toJSONSchema(z.object({ steps: z.array(z.object({ instruction: z.string() })).min(1) }))

  test.each([
    ['{"steps":[{"instruction":"x"}]}'],
    [' \n{"steps":[{"instruction":"x"}]}\n'],
    ['```json\n{"steps":[{"instruction":"x"}]}\n```'],
    ['```\n{"steps":[{"instruction":"x"}]}\n```\n'],
    ['```JSON {"steps":[{"instruction":"x"}]}```'],
  ])('%j is read', (text) => {
    expect(readOutput(text, schema)).toEqual({ ok: true, value: { steps: [{ instruction: 'x' }] } })
  })

  test.each([
    ['', 'it is not JSON'],
    ['Here you are: {}', 'it is not JSON'],
    ['```json\n{"steps":', 'it is not JSON'],
    ['{"steps":[]}', expect.stringMatching(/^steps: /)],
    ['{"steps":[{"instruction":7}]}', expect.stringMatching(/^steps\.0\.instruction: /)],
    ['[]', expect.any(String)],
  ])('%j is refused', (text, problem) => {
    expect(readOutput(text, schema)).toEqual({ ok: false, problem })
  })

  test('a value is given as it was written: nothing is stripped or filled in', () => {
    const text = '{"extra":1,"steps":[{"instruction":"x"}]}'
    const loose = { type: 'object', properties: { filled: { type: 'string', default: 'in' } } }
    expect(readOutput(text, loose)).toEqual({ ok: true, value: JSON.parse(text) })
  })
})
