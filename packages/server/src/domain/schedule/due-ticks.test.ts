import type { CatchUpPolicy } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { dueTicks } from './due-ticks.ts'
import { Timetable } from './timetable.ts'

const timetable = new Timetable({ cron: '0 * * * *', timeZone: 'UTC' })

function due(catchUp: CatchUpPolicy, nextAt: string, now: string, isRepeated = false) {
  const time = (text: string) => new Date(`2026-11-${text.includes(' ') ? text.replace(' ', 'T') : `17T${text}`}Z`)
  const found = finish(dueTicks({ timetable, catchUp, nextAt: time(nextAt), isRepeated }, time(now)))
  return { due: found.due.map((tick) => tick.toISOString().slice(11, 16)), missed: found.missed }
}

test.each(['skip', 'latest', 'all'] as const)('%s: a tick that is noticed in time creates a run', (catchUp) => {
  expect(due(catchUp, '12:00', '12:00:00.200')).toEqual({ due: ['12:00'], missed: 0 })
  expect(due(catchUp, '12:00', '12:01:00')).toEqual({ due: ['12:00'], missed: 0 })
})

describe('after a downtime', () => {
  test('skip creates no run for ticks older than the grace', () => {
    expect(due('skip', '09:00', '12:30')).toEqual({ due: [], missed: 4 })
    expect(due('skip', '12:00', '12:01:00.001')).toEqual({ due: [], missed: 1 })
  })
  test('skip creates one for a tick within the grace', () => {
    expect(due('skip', '09:00', '12:00:30')).toEqual({ due: ['12:00'], missed: 3 })
  })
  test('latest creates one for the latest', () => {
    expect(due('latest', '09:00', '12:30')).toEqual({ due: ['12:00'], missed: 3 })
  })
  test('all creates one for each, oldest first', () => {
    expect(due('all', '09:00', '12:30')).toEqual({ due: ['09:00', '10:00', '11:00', '12:00'], missed: 0 })
  })
  test('all creates no more than the latest 100', () => {
    const { due: found, missed } = due('all', '13 00:00', '17 12:30')
    expect([found.length, found[0], found.at(-1), missed]).toEqual([100, '09:00', '12:00', 9])
  })
  test('no more than 100 missed ticks are counted', () => {
    expect(due('all', '01 00:00', '17 12:30').missed).toBe(100)
    expect(due('skip', '01 00:00', '17 12:30').missed).toBe(100)
  })
})

test('a tick that was refused for a while is not too late until the next one', () => {
  expect(due('skip', '12:00', '12:59', true)).toEqual({ due: ['12:00'], missed: 0 })
  expect(due('skip', '12:00', '13:00:05', true)).toEqual({ due: ['13:00'], missed: 1 })
  expect(due('skip', '12:00', '13:05', true)).toEqual({ due: [], missed: 2 })
})
