import { expect, test } from 'vitest'
import { LoadMonitor } from './load-monitor.ts'

/** A monitor whose ticks came at these times. */
function ticked(times: readonly number[], queuesBehindMs = 0): LoadMonitor {
  const monitor = new LoadMonitor(() => queuesBehindMs)
  for (const time of times) monitor.tick(time)
  return monitor
}

test.each([
  ['ticks are on time', [0, 250, 500], 0],
  ['a tick was a little late', [0, 250, 2_400], 0],
  ['ticks are on time again', [0, 10_000, 10_250], 0],
  ['the queues are a little behind', [0, 250], 1_999],
])('admits while %s', (_case, times, behindMs) => {
  expect(() => ticked(times, behindMs).refuseWhenBehind()).not.toThrow()
})

test.each([
  ['the last tick was two seconds late', [0, 250, 2_500], 0],
  ['the queues are two seconds behind', [0, 250], 2_000],
])('refuses when %s', (_case, times, behindMs) => {
  expect(() => ticked(times, behindMs).refuseWhenBehind()).toThrow(
    expect.objectContaining({ reason: 'OVERLOADED', retryAfterSeconds: 2 }),
  )
})
