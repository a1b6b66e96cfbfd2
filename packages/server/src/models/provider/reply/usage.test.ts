import { expect, test } from 'vitest'
import { readUsage } from './usage.ts'

const usage = (
  input: number | undefined,
  output: number | undefined,
  more: { cached?: number; reasoning?: number; raw?: unknown } = {},
) =>
  readUsage({
    inputTokens: { total: input, cacheRead: more.cached },
    outputTokens: { total: output, reasoning: more.reasoning },
    raw: more.raw,
  })

test('input and output make the total', () => {
  expect(usage(11, 7)).toEqual({ total: 18, input: 11, output: 7 })
})

test.each([
  [11, undefined, { total: 11, input: 11 }],
  [undefined, 7, { total: 7, output: 7 }],
  [0, 7, { total: 7, input: 0, output: 7 }],
])('%s in, %s out', (input, output, expected) => {
  expect(usage(input, output)).toEqual(expected)
})

test('cached and reasoning tokens are kept as details, and not added', () => {
  expect(usage(11, 7, { cached: 4, reasoning: 3 })).toEqual({
    total: 18,
    input: 11,
    output: 7,
    cached: 4,
    reasoning: 3,
  })
  expect(usage(11, 7, { cached: 0, reasoning: 0 })).toEqual({ total: 18, input: 11, output: 7 })
})

test.each([
  ['DeepSeek', { prompt_cache_hit_tokens: 4 }, { cached: 4 }],
  ['Moonshot', { cached_tokens: 4 }, { cached: 4 }],
  ['Anthropic, through a gateway', { cache_read_input_tokens: 4 }, { cached: 4 }],
  [
    'the Responses API, through a gateway',
    { input_tokens_details: { cached_tokens: 4 }, output_tokens_details: { reasoning_tokens: 3 } },
    { cached: 4, reasoning: 3 },
  ],
  ['reasoning at the top', { reasoning_tokens: 3 }, { reasoning: 3 }],
  ['nonsense', { cached_tokens: 'all', reasoning_tokens: -1, input_tokens_details: 7 }, {}],
])('the names of %s are known', (_, names, details) => {
  const raw = { prompt_tokens: 11, completion_tokens: 7, ...names }
  expect(usage(11, 7, { cached: 0, reasoning: 0, raw })).toEqual({ total: 18, input: 11, output: 7, ...details })
})

test('what the server does not report is absent, not 0', () => {
  expect(usage(0, 7, { raw: { completion_tokens: 7 } })).toEqual({ total: 7, output: 7 })
  expect(usage(11, 0, { raw: { prompt_tokens: 11 } })).toEqual({ total: 11, input: 11 })
  expect(usage(0, 0, { raw: { total_tokens: 40 } })).toEqual({ total: 40 })
})

test.each([
  [{ total_tokens: 40 }, 40],
  [{ total_tokens: 3 }, 18],
  [{ total_tokens: 'many' }, 18],
  [null, 18],
])('a total of %j next to 18: the larger one counts', (raw, total) => {
  expect(usage(11, 7, { raw })?.total).toBe(total)
})

test.each<[number | undefined, number | undefined]>([
  [undefined, undefined],
  [0, 0],
  [-1, 5],
  [5, -1],
  [1.5, 1],
  [Number.NaN, 1],
  [Number.POSITIVE_INFINITY, 1],
  [10_000_000, 1],
  [2 ** 53, 1],
])('%s in and %s out is impossible', (input, output) => {
  expect(usage(input, output)).toBeUndefined()
})
