import { expect, test } from 'vitest'
import { readRetryAfter } from './retry-after.ts'

const now = Date.parse('2026-11-16T12:00:00Z')

test.each<[Record<string, unknown> | undefined, number | undefined]>([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'Retry-After': '0.5' }, 500],
  [{ 'RETRY-AFTER': ' 3 ' }, 3_000],
  [{ 'retry-after': 'Mon, 16 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 1_000],
  [{ 'retry-after-ms': '2500', 'retry-after': '1' }, 2_500],
  [{ 'x-ratelimit-reset-requests': '1s' }, 1_000],
  [{ 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
  [{ 'x-ratelimit-reset-tokens': '1h2m3.5s' }, 3_600_000],
  [{ 'x-ratelimit-reset-tokens': '120ms' }, 120],
  [{ 'x-ratelimit-reset': String(now / 1000 + 40) }, 40_000],
  [{ 'anthropic-ratelimit-requests-reset': '2026-11-16T12:00:05Z' }, 5_000],
  [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '4s' }, 4_000],
])('%j asks for %s ms', (headers, ms) => {
  expect(readRetryAfter(headers, now)).toBe(ms)
})

test.each<[string, Record<string, string>]>([
  ['the reset', { 'x-ratelimit-reset-requests': '9s' }],
  ['the reset of a limit that is used up', { 'x-ratelimit-reset-tokens': '9s', 'x-ratelimit-remaining-tokens': '0' }],
])('%s is ignored when there is a Retry-After', (_, reset) => {
  expect(readRetryAfter({ ...reset, 'retry-after': '2' }, now)).toBe(2_000)
  expect(readRetryAfter(reset, now)).toBe(9_000)
})

test('a limit that is not used up is not the one that was hit', () => {
  const headers = {
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-remaining-tokens': '5000',
    'x-ratelimit-reset-tokens': '50s',
    'anthropic-ratelimit-tokens-remaining': '1',
    'anthropic-ratelimit-tokens-reset': '2026-11-16T12:00:50Z',
  }
  expect(readRetryAfter(headers, now)).toBe(1_000)
})

test('more than an hour is not accepted', () => {
  expect(readRetryAfter({ 'retry-after': '86400' }, now)).toBe(3_600_000)
})

test.each([
  undefined,
  null,
  {},
  { 'retry-after': '' },
  { 'retry-after': 'soon' },
  { 'retry-after': '0' },
  { 'retry-after': '-5' },
  { 'retry-after': 'Mon, 16 Nov 2026 11:59:00 GMT' },
  { 'retry-after-ms': 'NaN' },
  { 'retry-after': 5 },
  { 'x-other-reset': '5' },
])('%j asks for nothing', (headers) => {
  expect(readRetryAfter(headers, now)).toBeUndefined()
})
