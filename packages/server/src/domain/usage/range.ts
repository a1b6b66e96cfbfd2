// The range of time that a usage query asks for: what was given, and what follows when an end was left out.
import type { UsageQuery } from '@runwright/contract'
import { ServiceError } from '../service-error.ts'
import { monthStart, monthStartBefore, toMilliseconds, utcMicroseconds } from '../utc-instant.ts'

/** `[start, end)`, both UTC text to the microsecond, made for PostgreSQL. */
export interface UsageRange {
  readonly start: string
  readonly end: string
}

/** `now` is the database's clock, UTC text to the microsecond. */
export function usageRange(query: Pick<UsageQuery, 'start' | 'end'>, now: string): UsageRange {
  const end = query.end === undefined ? now : readInstant('end', query.end)
  const start = query.start === undefined ? startBefore(query.end, end) : readInstant('start', query.start)
  if (start > end) throw startsAfterEnd(query, end)
  return { start, end }
}

/** The range as it is told to the caller. */
export const toPeriod = ({ start, end }: UsageRange): UsageRange => ({
  start: toMilliseconds(start),
  end: toMilliseconds(end),
})

function startBefore(givenEnd: string | undefined, end: string): string {
  if (givenEnd === undefined) return monthStart(end)
  return monthStartBefore(end) ?? refuse('end must lie after 0001-01-01T00:00:00Z when start is left out.')
}

const readInstant = (name: 'start' | 'end', text: string): string =>
  utcMicroseconds(text) ?? refuse(`${name} must lie in the years 0001 to 9999 of UTC.`)

function startsAfterEnd(query: Pick<UsageQuery, 'end'>, end: string): ServiceError {
  const given = query.end === undefined ? `now (${toMilliseconds(end)}), which is the end when none is given` : 'end'
  return invalid(`start must not lie after ${given}.`)
}

const invalid = (message: string) => new ServiceError('USAGE_QUERY_PARAMS_INVALID', message)

const refuse = (message: string): never => {
  throw invalid(message)
}
