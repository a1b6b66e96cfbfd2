// The time range of a usage query, with defaults for a missing start or end.
import type { UsageQuery } from '@runwright/contract'
import { ServiceError } from '../service-error.ts'
import { monthStart, monthStartBefore, toMilliseconds, utcMicroseconds } from '../utc-instant.ts'

/** `[start, end)`, both UTC text with microseconds. */
export interface UsageRange {
  readonly start: string
  readonly end: string
}

/** `now` is the database's clock, as UTC text with microseconds. */
export function usageRange(query: Pick<UsageQuery, 'start' | 'end'>, now: string): UsageRange {
  const end = query.end === undefined ? now : readInstant('end', query.end)
  const start = query.start === undefined ? startBefore(query.end, end) : readInstant('start', query.start)
  if (start > end) throw startsAfterEnd(query, end)
  return { start, end }
}

/** The range as shown to the caller. */
export const toPeriod = ({ start, end }: UsageRange): UsageRange => ({
  start: toMilliseconds(start),
  end: toMilliseconds(end),
})

function startBefore(givenEnd: string | undefined, end: string): string {
  if (givenEnd === undefined) return monthStart(end)
  return monthStartBefore(end) ?? refuse('end must be after 0001-01-01T00:00:00Z when start is omitted.')
}

const readInstant = (name: 'start' | 'end', text: string): string =>
  utcMicroseconds(text) ?? refuse(`${name} must be between the years 0001 and 9999 in UTC.`)

function startsAfterEnd(query: Pick<UsageQuery, 'end'>, end: string): ServiceError {
  const given = query.end === undefined ? `now (${toMilliseconds(end)}), the default for end` : 'end'
  return invalid(`start must not be after ${given}.`)
}

const invalid = (message: string) => new ServiceError('USAGE_QUERY_PARAMS_INVALID', message)

const refuse = (message: string): never => {
  throw invalid(message)
}
