import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Quirk, Quirks, refusedParameter, withoutRefused } from './quirks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const hourMs = 3_600_000

test('a refusal is remembered for an hour', () => {
  const quirks = new Quirks()
  expect(quirks.has('no_tools')).toBe(false)
  quirks.remember('no_tools')
  vi.advanceTimersByTime(hourMs - 1)
  expect([quirks.has('no_tools'), quirks.has('no_response_format')]).toEqual([true, false])
  vi.advanceTimersByTime(1)
  expect(quirks.has('no_tools')).toBe(false)
})

test('refused parameters are listed by name, as long as they are remembered', () => {
  const quirks = new Quirks()
  quirks.remember('no_parameter:seed')
  vi.advanceTimersByTime(hourMs / 2)
  quirks.remember('no_parameter:max_tokens')
  quirks.remember('no_tools')
  expect(quirks.refusedParameters).toEqual(['seed', 'max_tokens'])
  vi.advanceTimersByTime(hourMs / 2)
  expect(quirks.refusedParameters).toEqual(['max_tokens'])
})

test('each new one is reported', () => {
  const told: Quirk[] = []
  const quirks = new Quirks((quirk) => void told.push(quirk))
  quirks.remember('no_response_format')
  quirks.remember('no_parameter:stop')
  expect(told).toEqual(['no_response_format', 'no_parameter:stop'])
})

test.each([
  ["Unsupported parameter: 'max_tokens' is not supported with this model.", 'max_tokens'],
  ['Unrecognized request argument supplied: "stream_options"', 'stream_options'],
  ["'temperature' does not apply: unsupported", 'temperature'],
  ['`seed` is not permitted', 'seed'],
  ["unknown field 'parallel_tool_calls'", 'parallel_tool_calls'],
])('%j refuses %s', (words, name) => {
  expect(refusedParameter(words)).toBe(name)
})

test.each([
  // A call without these would be a different call.
  "Unsupported parameter: 'messages'",
  "Unknown parameter: 'model'",
  "Invalid value for 'content'",
  'max_tokens is too large',
  'not now',
  '',
])('%j refuses nothing that a call can do without', (words) => {
  expect(refusedParameter(words)).toBeUndefined()
})

test('what was refused is left out of the body', () => {
  const body = { model: 'm', seed: 1, stop: ['x'] }
  expect(withoutRefused(body, ['seed', 'temperature'])).toEqual({ model: 'm', stop: ['x'] })
  expect(withoutRefused(body, [])).toEqual(body)
})

test('max_completion_tokens replaces max_tokens', () => {
  expect(withoutRefused({ model: 'm', max_tokens: 7 }, ['max_tokens'])).toEqual({
    model: 'm',
    max_completion_tokens: 7,
  })
  expect(withoutRefused({ model: 'm' }, ['max_tokens'])).toEqual({ model: 'm' })
})
