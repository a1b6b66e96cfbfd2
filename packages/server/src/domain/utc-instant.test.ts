import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { monthStartBefore, toMilliseconds, utcMicroseconds } from './utc-instant.ts'

describe('an instant in UTC to the microsecond', () => {
  test.each([
    ['2026-11-15T02:00:00Z', '2026-11-15T02:00:00.000000Z'],
    ['2026-11-15T02:00:00.1Z', '2026-11-15T02:00:00.100000Z'],
    ['2026-11-15T02:00:00.123456Z', '2026-11-15T02:00:00.123456Z'],
    ['2026-11-15T02:00:00+02:00', '2026-11-15T00:00:00.000000Z'],
    ['2026-11-15T02:00:00-00:00', '2026-11-15T02:00:00.000000Z'],
    ['2026-03-01T00:30:00+05:45', '2026-02-28T18:45:00.000000Z'],
    ['2028-03-01T00:30:00+05:45', '2028-02-29T18:45:00.000000Z'],
    ['2026-12-31T23:59:59.999999-23:59', '2027-01-01T23:58:59.999999Z'],
    ['1969-12-31T23:59:59.250001Z', '1969-12-31T23:59:59.250001Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s', (given, utc) => {
    expect(utcMicroseconds(given)).toBe(utc)
  })

  test.each([
    ['2026-11-15T02:00:00.0000001Z', '2026-11-15T02:00:00.000001Z'],
    ['2026-11-15T02:00:00.1234560000Z', '2026-11-15T02:00:00.123456Z'],
    ['2026-12-31T23:59:59.9999999Z', '2027-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s, finer than a microsecond, is rounded up to %s', (given, utc) => {
    expect(utcMicroseconds(given)).toBe(utc)
  })

  test.each(['0001-01-01T00:00:00+00:01', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-00:01'])(
    '%s lies outside the years that can be told',
    (given) => {
      expect(utcMicroseconds(given)).toBeUndefined()
    },
  )

  test('agrees with Date on every instant of whole milliseconds', () => {
    const offsets = fc.tuple(
      fc.constantFrom('+', '-'),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    )
    const dates = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(dates, offsets, (date, [sign, hours, minutes]) => {
        const offset = `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
        const text = date.toISOString().replace('Z', offset)
        expect(toMilliseconds(utcMicroseconds(text) ?? '')).toBe(new Date(text).toISOString())
      }),
    )
  })
})

describe('the start of the month of the instant before', () => {
  test.each([
    ['2026-11-15T02:00:00.000000Z', '2026-11-01T00:00:00.000000Z'],
    ['2026-11-01T00:00:00.000001Z', '2026-11-01T00:00:00.000000Z'],
    ['2026-11-01T00:00:00.000000Z', '2026-10-01T00:00:00.000000Z'],
    ['2026-01-01T00:00:00.000000Z', '2025-12-01T00:00:00.000000Z'],
    ['2028-03-01T00:00:00.000000Z', '2028-02-01T00:00:00.000000Z'],
    ['0001-01-01T00:00:00.000001Z', '0001-01-01T00:00:00.000000Z'],
    ['0001-01-01T00:00:00.000000Z', undefined],
  ])('of %s is %s', (instant, start) => {
    expect(monthStartBefore(instant)).toBe(start)
  })
})
