import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Quirk, Quirks } from './quirks.ts'

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
