import { describe, expect, test } from 'vitest'
import { toPeriod, usageRange } from './range.ts'

const now = '2026-11-15T09:40:00.123456Z'

const refusal = (query: { start?: string; end?: string }) => {
  try {
    return usageRange(query, now)
  } catch (error) {
    return error
  }
}

describe('the range of a usage query', () => {
  test('is the current UTC month until now when neither end is given', () => {
    expect(usageRange({}, now)).toEqual({ start: '2026-11-01T00:00:00.000000Z', end: now })
  })

  test('holds nothing yet in the first instant of a month', () => {
    const first = '2026-11-01T00:00:00.000000Z'
    expect(usageRange({}, first)).toEqual({ start: first, end: first })
  })

  test('ends now when only the start is given', () => {
    expect(usageRange({ start: '2024-02-29T00:00:00+01:00' }, now)).toEqual({
      start: '2024-02-28T23:00:00.000000Z',
      end: now,
    })
  })

  test('starts with the month of the instant before the end when only the end is given', () => {
    expect(usageRange({ end: '2026-11-01T01:00:00+01:00' }, now).start).toBe('2026-10-01T00:00:00.000000Z')
    expect(usageRange({ end: '2026-11-01T00:59:59+01:00' }, now).start).toBe('2026-10-01T00:00:00.000000Z')
    expect(usageRange({ end: '2026-11-01T01:00:00.000001+01:00' }, now).start).toBe('2026-11-01T00:00:00.000000Z')
  })

  test('may end in the future', () => {
    expect(usageRange({ end: '2030-05-05T00:00:00Z' }, now)).toEqual({
      start: '2030-05-01T00:00:00.000000Z',
      end: '2030-05-05T00:00:00.000000Z',
    })
  })

  test('may be empty, and the same instant in two zones is the same', () => {
    const range = usageRange({ start: '2026-11-15T01:00:00+01:00', end: '2026-11-14T19:00:00-05:00' }, now)
    expect(range.start).toBe(range.end)
  })

  test.each([
    [{ start: '2026-11-15T00:00:00.000001Z', end: '2026-11-15T00:00:00Z' }, 'start must not be after end.'],
    [{ start: '2026-11-15T00:00:00-01:00', end: '2026-11-15T00:30:00Z' }, 'start must not be after end.'],
    [{ start: '2026-11-15T09:40:00.123457Z' }, /^start must not be after now \(2026-11-15T09:40:00.123Z\)/],
    [{ start: '0001-01-01T00:00:00+23:59' }, 'start must be between the years 0001 and 9999 in UTC.'],
    [{ end: '9999-12-31T23:59:59-23:59' }, 'end must be between the years 0001 and 9999 in UTC.'],
    [{ end: '0001-01-01T00:00:00Z' }, 'end must be after 0001-01-01T00:00:00Z when start is omitted.'],
  ])('%j is refused', (query, message) => {
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(refusal(query)).toMatchObject({ reason: 'USAGE_QUERY_PARAMS_INVALID', message: expected })
  })

  test('is shown in milliseconds', () => {
    expect(toPeriod(usageRange({}, now))).toEqual({
      start: '2026-11-01T00:00:00.000Z',
      end: '2026-11-15T09:40:00.123Z',
    })
  })
})
