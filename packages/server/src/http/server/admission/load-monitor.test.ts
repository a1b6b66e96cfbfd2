import { expect, test } from 'vitest'
import type { WriteProblem } from '../../../store/postgres/errors.ts'
import { EventLoopLag } from './event-loop-lag.ts'
import { LoadMonitor } from './load-monitor.ts'

/** A monitor of an event loop whose ticks came at these times. */
function ticked(times: readonly number[], queuesBehindMs = 0, problem?: WriteProblem): LoadMonitor {
  const lag = new EventLoopLag()
  for (const time of times) lag.tick(time)
  return new LoadMonitor(lag, { behindMs: () => queuesBehindMs, problem: () => problem })
}

test.each([
  ['ticks are on time', [0, 250, 500], 0],
  ['a tick was a little late', [0, 250, 2_400], 0],
  ['ticks are on time again', [0, 10_000, 10_250], 0],
  ['the queues are a little behind', [0, 250], 1_999],
])('admits while %s', (_case, times, behindMs) => {
  expect(() => ticked(times, behindMs).refuseWhenBehind('write')).not.toThrow()
})

test.each([
  ['the last tick was two seconds late', [0, 250, 2_500], 0],
  ['the queues are two seconds behind', [0, 250], 2_000],
])('refuses when %s', (_case, times, behindMs) => {
  expect(() => ticked(times, behindMs).refuseWhenBehind('write')).toThrow(
    expect.objectContaining({ reason: 'OVERLOADED', retryAfterSeconds: 2 }),
  )
})

test('a read waits for the event loop, not for the queues of writes', () => {
  expect(() => ticked([0, 250], 60_000).refuseWhenBehind('read')).not.toThrow()
  expect(() => ticked([0, 250, 2_500]).refuseWhenBehind('read')).toThrow(
    expect.objectContaining({ reason: 'OVERLOADED' }),
  )
})

test('a write is told when the queues are behind because the database refuses writes', () => {
  expect(() => ticked([0, 250], 2_000, 'disk_full').refuseWhenBehind('write')).toThrow(
    expect.objectContaining({ reason: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('disk') }),
  )
  expect(() => ticked([0, 250], 0, 'disk_full').refuseWhenBehind('write')).not.toThrow()
})
