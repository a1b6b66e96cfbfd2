import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { momentNow, msSince } from './moment.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('time passes on both clocks', () => {
  const moment = momentNow()
  vi.advanceTimersByTime(1_500)
  expect(msSince(moment)).toBe(1_500)
})

test('a machine that was suspended shows it by its wall clock', () => {
  const moment = momentNow()
  vi.setSystemTime(Date.now() + 60_000)
  expect(msSince(moment)).toBe(60_000)
})

test('a wall clock that was set back hides nothing', () => {
  const moment = momentNow()
  vi.advanceTimersByTime(1_500)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(msSince(moment)).toBe(1_500)
})
