import { expect, test } from 'vitest'
import { periodLabel, periodsOf, rangeLabel } from './periods.ts'

const now = new Date('2026-03-01T02:30:00Z')

test('days end with today, in UTC, and cross the month', () => {
  const { names, start, end, later } = periodsOf('day', undefined, now)
  expect([names.length, names[0], names.at(-2), names.at(-1)]).toEqual([31, '2026-01-30', '2026-02-28', '2026-03-01'])
  expect([start, end]).toEqual(['2026-01-30T00:00:00.000Z', '2026-03-02T00:00:00.000Z'])
  expect(later).toBeUndefined()
})

test('hours and months are named as the API names them', () => {
  expect(periodsOf('hour', undefined, now).names.at(-1)).toBe('2026-03-01T02:00:00Z')
  expect(periodsOf('hour', undefined, now).names).toHaveLength(48)
  expect(periodsOf('month', undefined, now).names).toEqual(
    expect.arrayContaining(['2025-04', '2025-12', '2026-01', '2026-03']),
  )
})

test('a step back and a step forth show the same periods again, without a gap', () => {
  const current = periodsOf('day', undefined, now)
  const before = periodsOf('day', current.earlier, now)
  expect(before.names.at(-1)).toBe('2026-01-29')
  expect(before.later).toBe('2026-03-01')
  expect(periodsOf('day', before.later, now)).toEqual(current)
})

test('nothing after now is shown', () => {
  expect(periodsOf('day', '2030-01-01', now)).toEqual(periodsOf('day', undefined, now))
})

test('labels are in UTC', () => {
  expect(periodLabel('hour', '2026-03-01T02:00:00Z')).toBe('1 Mar, 02:00')
  expect(periodLabel('day', '2026-03-01')).toBe('1 Mar')
  expect(periodLabel('month', '2026-03')).toBe('Mar 2026')
  expect(rangeLabel({ start: '2026-01-30T00:00:00.000Z', end: '2026-03-02T00:00:00.000Z' })).toBe(
    '30 Jan 2026 to 1 Mar 2026',
  )
})
