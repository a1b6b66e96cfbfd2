// An instant as UTC text, `2026-11-15T02:00:00.000000Z`: as precise as PostgreSQL's clock, and sortable as text.

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

const firstSecond = Date.parse('0001-01-01T00:00:00Z') / 1000
const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000

/**
 * Converts a valid ISO 8601 instant to UTC text; undefined when the result is outside the years 0001 to 9999.
 * Rounds up to the next microsecond: no record lies between two microseconds, so both ends of a range stay exact.
 * PostgreSQL cannot do this: it rejects offsets of 16:00 and more, and a local year 0 whose offset moves it to year 1.
 */
export function utcMicroseconds(instant: string): string | undefined {
  const [, local = '', fraction = '', sign, hours, minutes] = pattern.exec(instant) ?? []
  const offsetSeconds = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60)
  const second = Date.parse(`${local}Z`) / 1000 - offsetSeconds
  if (!(second >= firstSecond && second <= lastSecond)) return undefined
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0')) + (/[1-9]/.test(fraction.slice(6)) ? 1 : 0)
  if (micros < 1_000_000) return utcText(second, micros)
  // Some clients send `9999-12-31T23:59:59.9999999Z` for "forever".
  return second === lastSecond ? utcText(second, 999_999) : utcText(second + 1, 0)
}

const utcText = (second: number, micros: number) =>
  `${new Date(second * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`

/** Times on the wire have milliseconds. */
export const toMilliseconds = (instant: string): string => `${instant.slice(0, 23)}Z`

export const monthStart = (instant: string): string => `${instant.slice(0, 7)}-01T00:00:00.000000Z`

/** The last start of a month before `instant`; undefined when there is none. */
export function monthStartBefore(instant: string): string | undefined {
  const start = monthStart(instant)
  return start === instant ? previousMonth(start) : start
}

function previousMonth(start: string): string | undefined {
  const year = Number(start.slice(0, 4))
  const month = Number(start.slice(5, 7))
  if (month > 1) return `${start.slice(0, 5)}${String(month - 1).padStart(2, '0')}${start.slice(7)}`
  return year > 1 ? `${String(year - 1).padStart(4, '0')}-12${start.slice(7)}` : undefined
}
