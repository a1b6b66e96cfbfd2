import { describe, expect, test } from 'vitest'
import { maxDeliveryAttempts, nextAttemptInMs, readRetryAfterMs } from './retry-schedule.ts'

const hour = 3_600_000

describe('the pause before the next attempt', () => {
  test('grows from 5 s to 24 h, and after ten attempts there is none', () => {
    const pauses = Array.from({ length: 10 }, (_, n) => nextAttemptInMs({ attempts: n + 1, random: 0 }))
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hour)
    expect(pauses).toEqual([5_000, 300_000, 1_800_000, ...hours, null])
    expect(maxDeliveryAttempts).toBe(10)
  })

  test('is up to 20 % longer by chance', () => {
    expect(nextAttemptInMs({ attempts: 1, random: 1 })).toBe(6_000)
    const pauses = Array.from({ length: 50 }, () => nextAttemptInMs({ attempts: 4 }))
    expect(new Set(pauses).size).toBeGreaterThan(40)
    expect(pauses.filter((ms) => ms === null || ms < 2 * hour || ms > 2.4 * hour)).toEqual([])
  })

  test('is as long as the endpoint asks for, but not shorter than its own and at most 24 h', () => {
    expect(nextAttemptInMs({ attempts: 1, retryAfterMs: 60_000, random: 0 })).toBe(60_000)
    expect(nextAttemptInMs({ attempts: 2, retryAfterMs: 60_000, random: 0 })).toBe(300_000)
    expect(nextAttemptInMs({ attempts: 1, retryAfterMs: 999 * hour, random: 0 })).toBe(24 * hour)
  })
})

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Tue, 17 Nov 2026 10:01:00 GMT', 60_000],
  ['Tue, 17 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (header, expected) => {
  expect(readRetryAfterMs(header, Date.parse('2026-11-17T10:00:00Z'))).toBe(expected)
})
