import { describe, expect, test } from 'vitest'
import { nextPeriod, periodCeiling, periodStart } from './period.ts'

describe('the period around an instant', () => {
  test.each([
    ['hour', '2026-11-15T02:59:59.999999Z', '2026-11-15T02:00:00.000000Z', '2026-11-15T03:00:00.000000Z'],
    ['hour', '2026-12-31T23:00:00.000001Z', '2026-12-31T23:00:00.000000Z', '2027-01-01T00:00:00.000000Z'],
    ['day', '2028-02-28T12:00:00.000000Z', '2028-02-28T00:00:00.000000Z', '2028-02-29T00:00:00.000000Z'],
    ['day', '2026-02-28T12:00:00.000000Z', '2026-02-28T00:00:00.000000Z', '2026-03-01T00:00:00.000000Z'],
    ['month', '2028-02-29T23:59:59.999999Z', '2028-02-01T00:00:00.000000Z', '2028-03-01T00:00:00.000000Z'],
    ['month', '2026-12-15T00:00:00.000000Z', '2026-12-01T00:00:00.000000Z', '2027-01-01T00:00:00.000000Z'],
    ['day', '0001-01-01T00:00:00.000001Z', '0001-01-01T00:00:00.000000Z', '0001-01-02T00:00:00.000000Z'],
  ] as const)('a %s around %s begins at %s, and the next at %s', (grain, instant, start, next) => {
    expect(periodStart(grain, instant)).toBe(start)
    expect(periodCeiling(grain, instant)).toBe(next)
    expect(nextPeriod(grain, start)).toBe(next)
  })

  test.each(['hour', 'day', 'month'] as const)(
    'a %s that begins at an instant is its own start and ceiling',
    (grain) => {
      const instant = '2026-11-01T00:00:00.000000Z'
      expect([periodStart(grain, instant), periodCeiling(grain, instant)]).toEqual([instant, instant])
    },
  )

  test.each(['hour', 'day', 'month'] as const)('the last %s of the year 9999 ends behind every instant', (grain) => {
    const end = periodCeiling(grain, '9999-12-31T23:59:59.999999Z')
    expect(end > '9999-12-31T23:59:59.999999Z').toBe(true)
    expect([periodStart(grain, end), periodCeiling(grain, end)]).toEqual([end, end])
  })
})
