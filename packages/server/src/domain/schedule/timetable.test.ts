import { describe, expect, test } from 'vitest'
import { readTimetable, Timetable } from './timetable.ts'

const now = new Date('2026-11-17T12:00:00Z')

function ticks(cron: string, timeZone: string, after: string, count: number): string[] {
  const timetable = readTimetable({ cron, timeZone }, now)
  const found: Date[] = []
  for (let n = 0; n < count; n += 1) found.push(timetable.next(found.at(-1) ?? new Date(after)) ?? new Date(Number.NaN))
  return found.map((tick) => tick.toISOString().slice(0, 16))
}

test('a tick is a time of day in the zone', () => {
  expect(ticks('0 9 * * MON-FRI', 'Europe/Berlin', '2026-11-13T12:00:00Z', 2)).toEqual([
    '2026-11-16T08:00',
    '2026-11-17T08:00',
  ])
  expect(ticks('0 9 * * *', 'America/New_York', '2026-11-13T12:00:00Z', 1)).toEqual(['2026-11-13T14:00'])
})

test('the tick after a tick is never the same one', () => {
  expect(ticks('* * * * *', 'UTC', '2026-11-17T11:59:59.999Z', 2)).toEqual(['2026-11-17T12:00', '2026-11-17T12:01'])
})

test('the latest ticks include one that is now', () => {
  const timetable = new Timetable({ cron: '0 * * * *', timeZone: 'UTC' })
  const latest = (upTo: string) => timetable.latest(2, new Date(upTo)).map((tick) => tick.toISOString().slice(11, 16))
  expect(latest('2026-11-17T12:00:00.000Z')).toEqual(['11:00', '12:00'])
  expect(latest('2026-11-17T12:00:00.900Z')).toEqual(['11:00', '12:00'])
  expect(latest('2026-11-17T11:59:59.999Z')).toEqual(['10:00', '11:00'])
})

describe('when clocks go forward, 2:00 to 3:00 does not exist', () => {
  const night = '2026-03-28T12:00:00Z'
  test('a tick in it moves to 3:00', () => {
    expect(ticks('30 2 * * *', 'Europe/Berlin', night, 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30'])
  })
  test('an hourly one goes on', () => {
    expect(ticks('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:30',
      '2026-03-29T02:30',
    ])
  })
})

describe('when clocks go back, 2:00 to 3:00 exists twice', () => {
  test('a tick at a set time comes once, at the first of the two', () => {
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })
  test('an hourly one comes twice', () => {
    expect(ticks('30 * * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ])
  })
})

test.each([
  ['* * * * * *', 'UTC', /^cron: must have five fields.*Seconds/],
  ['@daily', 'UTC', /^cron: must have five fields/],
  ['60 * * * *', 'UTC', /^cron: is not a valid cron expression\. Invalid value for minute: 60\.$/],
  ['0 0 30 2 *', 'UTC', /^cron: never fires/],
  ['0 0 * * *', 'Europe/Atlantis', /^time_zone: is not a known IANA time zone/],
  ['0 0 * * *', '+02:00', /^time_zone: /],
])('%s in %s is refused, and the message names the field', (cron, timeZone, message) => {
  const read = () => readTimetable({ cron, timeZone }, now)
  expect(read).toThrow(message)
  expect(read).toThrow(expect.objectContaining({ reason: 'SCHEDULE_PAYLOAD_INVALID' }))
})
