import { readFileSync } from 'node:fs'
import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../test/support/cpu-time.ts'
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

test('the ticks of a time include those at its ends, latest first', () => {
  const timetable = new Timetable({ cron: '0 * * * *', timeZone: 'UTC' })
  const between = (from: string, to: string) =>
    [...timetable.backwards(new Date(`2026-11-17T${to}Z`), new Date(`2026-11-17T${from}Z`))].map((tick) =>
      tick.toISOString().slice(11, 16),
    )
  expect(between('11:00:00.000', '12:00:00.000')).toEqual(['12:00', '11:00'])
  expect(between('10:00:00.001', '12:00:00.900')).toEqual(['12:00', '11:00'])
  expect(between('11:00:00.000', '11:59:59.999')).toEqual(['11:00'])
  expect(between('11:00:00.001', '11:59:59.999')).toEqual([])
})

describe('an expression that fires seldom', () => {
  test.each([
    ['0 0 29 2 *', '2026-11-17', '2028-02-29'],
    ['0 0 29 2 *', '2096-03-01', '2104-02-29'],
    ['0 0 29 2 +MON', '2026-11-17', '2044-02-29'],
    ['0 0 29 2 +MON', '2072-03-01', '2112-02-29'],
    ['59 23 31 12 *', '2026-12-31T23:59', '2027-12-31'],
    ['0 0 1 1 +MON#1', '2026-11-17', '2029-01-01'],
  ])('%s after %s is %s', (cron, after, tick) => {
    expect(ticks(cron, 'UTC', after, 1)).toEqual([expect.stringContaining(tick)])
  })

  test('finds the tick that Croner finds', () => {
    const field = (min: number, max: number) =>
      fc.oneof(fc.constant('*'), fc.integer({ min, max }).map(String), fc.constant(`*/${max}`))
    const day = fc.constantFrom('*', '1', '15', '29', '30', '31', 'L', 'LW', '31W', '29,30')
    const weekday = fc.constantFrom('*', 'MON', '+SUN', '+MON#5', 'FRIL', '+TUEL')
    const cron = fc.tuple(field(0, 59), field(0, 23), day, field(1, 12), weekday)
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia')
    const after = fc.date({ min: new Date('2020-01-01'), max: new Date('2110-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(cron, zone, after, (fields, timeZone, from) => {
        const free = new Cron(fields.join(' '), { timezone: timeZone, mode: '5-part', paused: true })
        const found = new Timetable({ cron: fields.join(' '), timeZone }).next(from)
        expect(found).toEqual(free.nextRun(from) ?? undefined)
      }),
    )
  })
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

describe('the table of docs/schedules.md is true', () => {
  const page = readFileSync(new URL('../../../../../docs/schedules.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([\d:, none]+) \| ([\d:, none]+) \|$/gm)]
  /** From 1:00 up to 4:00 of the wall clock. */
  const forward = { from: '2026-03-29T00:00:00Z', to: '2026-03-29T02:00:00Z' }
  const back = { from: '2026-10-24T23:00:00Z', to: '2026-10-25T03:00:00Z' }
  const wall = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: 'numeric', minute: '2-digit' })

  function wallTimes(cron: string, { from, to }: typeof back): string {
    const timetable = new Timetable({ cron, timeZone: 'Europe/Berlin' })
    const found = [...timetable.backwards(new Date(Date.parse(to) - 1), new Date(from))].reverse()
    const forwards: Date[] = []
    let next = timetable.next(new Date(Date.parse(from) - 1))
    for (; next && next < new Date(to); next = timetable.next(next)) forwards.push(next)
    expect(forwards).toEqual(found)
    return found.map((tick) => wall.format(tick).replace(/^0/, '')).join(', ') || 'none'
  }

  test('it has rows', () => expect(rows).toHaveLength(10))

  test.each(rows.map(([, cron = '', spring, autumn]) => ({ cron, spring, autumn })))('$cron', ({ cron, ...shown }) => {
    expect({ spring: wallTimes(cron, forward), autumn: wallTimes(cron, back) }).toEqual(shown)
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
  ['0 0 31 2,4,6,9,11 *', 'Europe/Berlin', /^cron: never fires/],
  ['* 2 25-31 3 +SUN', 'Europe/Berlin', /^cron: never fires.*clocks skip its times/],
  ['0 0 * * *', 'Europe/Atlantis', /^time_zone: is not a known IANA time zone/],
  ['0 0 * * *', '+02:00', /^time_zone: /],
])('%s in %s is refused, and the message names the field', (cron, timeZone, message) => {
  const read = () => readTimetable({ cron, timeZone }, now)
  expect(read).toThrow(message)
  expect(read).toThrow(expect.objectContaining({ reason: 'SCHEDULE_PAYLOAD_INVALID' }))
})

test.each([
  ['0 0 30 2 *', 'Europe/Berlin'],
  ['0 0 31 2,4,6,9,11 *', 'America/New_York'],
  ['* * 30W,31W 2 *', 'UTC'],
  ['* 2 25-31 3 +SUN', 'Europe/Berlin'],
  ['* 2 8-14 3 +SUN', 'America/New_York'],
  ['0 0 29 2 +MON#5', 'Asia/Tehran'],
])('to look for a tick of %s in %s takes a moment', async (cron, timeZone) => {
  expect(await longestTurnMs(() => new Timetable({ cron, timeZone }).next(now))).toBeLessThan(promisedTurnMs)
})

/** The formatters that are created meanwhile. Those of Croner have the locale `en-US`. */
function formattersOf(work: () => void): unknown[] {
  const { DateTimeFormat } = Intl
  const created: unknown[] = []
  class Watched extends DateTimeFormat {
    constructor(locales?: string, options?: Intl.DateTimeFormatOptions) {
      super(locales, options)
      created.push([locales, options?.timeZone])
    }
  }
  Intl.DateTimeFormat = Watched as typeof DateTimeFormat
  try {
    work()
  } finally {
    Intl.DateTimeFormat = DateTimeFormat
  }
  return created
}

test('Croner keeps no formatter for each spelling of a time zone', () => {
  const next = (timeZone: string) => new Timetable({ cron: '0 9 * * *', timeZone }).next(now)
  expect(next('europe/BERLIN')).toEqual(next('Europe/Berlin'))
  expect(formattersOf(() => next('eUrOpE/bErLiN'))).toEqual([['en', 'eUrOpE/bErLiN']])
})
