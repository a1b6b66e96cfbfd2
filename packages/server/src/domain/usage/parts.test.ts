import { type Granularity, granularities } from '@runwright/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { usageParts } from './parts.ts'
import { periodStart } from './period.ts'

const now = '2026-11-15T09:40:00.123456Z'
const day = (text: string) => `${text}T00:00:00.000000Z`
const clock = (date: string, time: string) => `${date}T${time}Z`

describe('whole periods', () => {
  test('are as large as the granularity allows, from months in the middle to hours at the ends', () => {
    const range = { start: clock('2026-01-30', '22:00:00.000000'), end: clock('2026-04-02', '01:00:00.000000') }
    expect(usageParts(range, 'month', { now }).periods).toEqual([
      { grain: 'hour', start: range.start, end: day('2026-01-31') },
      { grain: 'day', start: day('2026-01-31'), end: day('2026-02-01') },
      { grain: 'month', start: day('2026-02-01'), end: day('2026-04-01') },
      { grain: 'day', start: day('2026-04-01'), end: day('2026-04-02') },
      { grain: 'hour', start: day('2026-04-02'), end: range.end },
    ])
  })

  test('are never larger than the granularity', () => {
    const range = { start: day('2026-01-01'), end: day('2027-01-01') }
    expect(usageParts(range, 'day', { now }).periods).toEqual([{ grain: 'day', ...range }])
    expect(usageParts(range, 'hour', { now }).periods).toEqual([{ grain: 'hour', ...range }])
  })
})

test('hours without sums are read from records, and days from their sums', () => {
  const range = { start: clock('2026-01-30', '22:00:00.000000'), end: clock('2026-02-02', '01:00:00.000000') }
  const { periods, covered, cuts } = usageParts(range, 'day', { now, hoursSince: day('2026-02-02') })
  expect(periods).toEqual([
    { grain: 'day', start: day('2026-01-31'), end: day('2026-02-02') },
    { grain: 'hour', start: day('2026-02-02'), end: range.end },
  ])
  expect(covered).toEqual([{ start: day('2026-01-31'), end: range.end }])
  expect(cuts).toEqual([{ start: range.start, end: day('2026-01-31'), sign: 1 }])
})

describe('an hour that is cut', () => {
  const cutsOf = (start: string, end: string) => usageParts({ start, end }, 'day', { now }).cuts

  test('is read on the side that holds less', () => {
    const whole = day('2026-11-01')
    const early = clock('2026-11-02', '03:10:00.000000')
    const late = clock('2026-11-02', '03:50:00.000000')
    const hour = clock('2026-11-02', '03:00:00.000000')
    const next = clock('2026-11-02', '04:00:00.000000')
    expect(cutsOf(whole, early)).toEqual([{ start: hour, end: early, sign: 1 }])
    expect(cutsOf(whole, late)).toEqual([{ start: late, end: next, sign: -1 }])
    expect(cutsOf(early, day('2026-11-03'))).toEqual([{ start: hour, end: early, sign: -1 }])
    expect(cutsOf(late, day('2026-11-03'))).toEqual([{ start: late, end: next, sign: 1 }])
  })

  test('in the current hour until now: records after now are subtracted', () => {
    expect(cutsOf(day('2026-11-01'), now)).toEqual([
      { start: now, end: clock('2026-11-15', '10:00:00.000000'), sign: -1 },
    ])
  })
})

/** Instants close to period boundaries, and arbitrary ones. */
const instants = fc
  .tuple(
    fc.constantFrom(
      ...['2026-11-15T09:00:00Z', '2026-12-31T23:00:00Z', '2027-01-01T00:00:00Z', '2028-02-28T23:00:00Z'],
      ...['2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z', '2026-10-31T23:30:00Z', '9999-12-31T23:00:00Z'],
    ),
    fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: 3_599_999_999 })),
  )
  .map(([base, micros]) => {
    const date = new Date(Date.parse(base) + Math.floor(micros / 1000))
    return date.toISOString().replace('Z', `${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z`)
  })

test('the parts of a range hold each instant of it once, and no other', () => {
  const sinces = fc.option(
    instants.map((instant) => periodStart('day', instant)),
    { nil: undefined },
  )
  const anyGranularity = fc.constantFrom<Granularity>(...granularities)
  fc.assert(
    fc.property(
      instants,
      instants,
      instants,
      instants,
      sinces,
      anyGranularity,
      (one, other, probe, clockNow, hoursSince, granularity) => {
        const [start = '', end = ''] = [one, other].sort()
        const { periods, covered, cuts } = usageParts({ start, end }, granularity, { now: clockNow, hoursSince })
        const holds = (range: { start: string; end: string }) => (range.start <= probe && probe < range.end ? 1 : 0)
        const times = periods.reduce((sum, period) => sum + holds(period), 0)
        expect(times + cuts.reduce((sum, cut) => sum + cut.sign * holds(cut), 0)).toBe(holds({ start, end }))
        expect(times).toBe(covered.reduce((sum, range) => sum + holds(range), 0))
        expect(covered.length).toBeLessThanOrEqual(2)
        for (const { grain, start: first } of periods)
          expect(grain !== 'hour' || first >= (hoursSince ?? '')).toBe(true)
        for (const { grain, ...period } of periods) {
          expect([periodStart(grain, period.start), periodStart(grain, period.end)]).toEqual([period.start, period.end])
        }
      },
    ),
    { numRuns: 5_000 },
  )
})
