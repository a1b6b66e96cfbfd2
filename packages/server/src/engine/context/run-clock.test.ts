import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('the time of the run', () => {
  const run = { durationSeconds: 60, remainingMs: 45_000 }

  test('goes on from what the database said at the claim', () => {
    const { context } = fakeExecution({ run })
    expect([context.clock.elapsedMs, context.clock.secondsLeft]).toEqual([15_000, 45])
    vi.advanceTimersByTime(2_500)
    expect([context.clock.elapsedMs, context.clock.secondsLeft]).toEqual([17_500, 42.5])
  })

  test('a run that exceeded its duration never reports less than the limit', () => {
    const { context } = fakeExecution({ run })
    vi.advanceTimersByTime(44_000)
    expect(context.clock.elapsedSeconds()).toBe(60)
    vi.advanceTimersByTime(2_250)
    expect(context.clock.elapsedSeconds()).toBe(61.25)
  })
})
