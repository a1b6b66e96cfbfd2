import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StepTimes } from './step-times.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('the time left is that of the step that has to end first', () => {
  const times = new StepTimes()
  expect(times.msLeft).toBeUndefined()
  const long = times.begin(60, () => undefined)
  const short = times.begin(10, () => undefined)
  vi.advanceTimersByTime(4_000)
  expect([times.msLeft, long.msLeft(), short.msLeft()]).toEqual([6_000, 56_000, 6_000])
  short.stop()
  expect(times.msLeft).toBe(56_000)
  long.stop()
  expect(times.msLeft).toBeUndefined()
})

test('a step that takes too long is told once, and one that has ended is not', () => {
  const [onLate, onEnded] = [vi.fn(), vi.fn()]
  const times = new StepTimes()
  times.begin(10, onLate)
  times.begin(10, onEnded).stop()
  vi.advanceTimersByTime(9_999)
  expect(onLate).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10_000)
  expect([onLate.mock.calls.length, onEnded.mock.calls.length]).toEqual([1, 0])
})

test('a limit that is longer than a timer supports does not pass at once', () => {
  const onLate = vi.fn()
  const times = new StepTimes()
  times.begin(2 ** 31 / 1000, onLate)
  vi.advanceTimersByTime(1_000)
  expect(onLate).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})
