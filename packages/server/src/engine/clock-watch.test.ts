import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClockWatch } from './clock-watch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function watch() {
  const onPause = vi.fn()
  const clock = new ClockWatch({ everyMs: 100, maxLateMs: 1_000, onPause })
  clock.start()
  return { clock, onPause }
}

/** The process is paused: the monotonic clock goes on, and no timer fires. */
function standStill(ms: number): void {
  const ahead = performance.now() + ms
  const clock = vi.spyOn(performance, 'now').mockReturnValue(ahead + 100)
  vi.advanceTimersByTime(100)
  clock.mockRestore()
}

test('timers that fire in time show no pause', () => {
  const { onPause } = watch()
  vi.advanceTimersByTime(60_000)
  expect(onPause).not.toHaveBeenCalled()
})

test('a timer that fires much too late shows one', () => {
  const { onPause } = watch()
  standStill(1_000)
  expect(onPause).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2_000)
  standStill(1_001)
  expect(onPause).toHaveBeenCalledExactlyOnceWith(1_001)
})

test('so does a wall clock that jumps ahead while the machine is suspended, and its other clock stands still', () => {
  const { onPause } = watch()
  vi.setSystemTime(Date.now() + 5_000)
  vi.advanceTimersByTime(100)
  expect(onPause).toHaveBeenCalledExactlyOnceWith(5_000)
})

test('a look between two timers shows a pause at once, and only one', () => {
  const { clock, onPause } = watch()
  vi.advanceTimersByTime(50)
  vi.setSystemTime(Date.now() + 5_000)
  clock.look()
  clock.look()
  vi.advanceTimersByTime(1_000)
  expect(onPause).toHaveBeenCalledExactlyOnceWith(4_950)
})

test('the worst lateness is told once, also before the timer has fired', () => {
  const { clock } = watch()
  standStill(900)
  standStill(300)
  expect([clock.takeWorstLateMs(), clock.takeWorstLateMs()]).toEqual([900, 0])
  vi.setSystemTime(Date.now() + 700)
  expect(clock.takeWorstLateMs()).toBe(600)
})

test('it goes on after a pause, until it is stopped', () => {
  const { clock, onPause } = watch()
  for (const _ of [1, 2]) {
    vi.setSystemTime(Date.now() + 5_000)
    vi.advanceTimersByTime(100)
  }
  expect(onPause).toHaveBeenCalledTimes(2)
  clock.stop()
  vi.setSystemTime(Date.now() + 5_000)
  vi.advanceTimersByTime(1_000)
  expect(onPause).toHaveBeenCalledTimes(2)
})
