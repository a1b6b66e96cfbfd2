// UTC hours, days and months: the start and end of the period that contains an instant. See `utc-instant.ts`.
import type { Granularity } from '@runwright/contract'
import { monthStart, toMilliseconds } from '../utc-instant.ts'

/** The end of the last period of the year 9999. PostgreSQL accepts it, and it sorts after every digit. */
const endOfTime = 'infinity'

/** The start of the period that contains the instant. */
export function periodStart(grain: Granularity, instant: string): string {
  if (instant === endOfTime) return instant
  if (grain === 'month') return monthStart(instant)
  return grain === 'day' ? `${instant.slice(0, 10)}T00:00:00.000000Z` : `${instant.slice(0, 13)}:00:00.000000Z`
}

/** The first period start at or after the instant. */
export function periodCeiling(grain: Granularity, instant: string): string {
  const start = periodStart(grain, instant)
  return start === instant ? instant : nextPeriod(grain, start)
}

export function nextPeriod(grain: Granularity, start: string): string {
  const date = new Date(toMilliseconds(start))
  if (grain === 'hour') date.setUTCHours(date.getUTCHours() + 1)
  else if (grain === 'day') date.setUTCDate(date.getUTCDate() + 1)
  else date.setUTCMonth(date.getUTCMonth() + 1)
  return date.getUTCFullYear() > 9999 ? endOfTime : date.toISOString().replace('Z', '000Z')
}
