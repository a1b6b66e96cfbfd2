// The periods of the chart, in UTC: 48 hours, 31 days or 12 months, as the API names them.
import type { Granularity } from '@runwright/contract'

const counts: Readonly<Record<Granularity, number>> = { hour: 48, day: 31, month: 12 }

/** The start of the period that is `back` periods before the one of the instant. */
const startOf = (granularity: Granularity, at: Date, back: number): Date => {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (granularity === 'month') return new Date(Date.UTC(year, month - back))
  if (granularity === 'day') return new Date(Date.UTC(year, month, day - back))
  return new Date(Date.UTC(year, month, day, at.getUTCHours() - back))
}

/** `2026-11-15T02:00:00Z`, `2026-11-15` or `2026-11`, as in `period` of a row. */
const nameOf = (granularity: Granularity, start: Date): string => {
  const iso = start.toISOString()
  if (granularity === 'hour') return `${iso.slice(0, 19)}Z`
  return iso.slice(0, granularity === 'day' ? 10 : 7)
}

export interface Periods {
  /** Oldest first. */
  readonly names: readonly string[]
  readonly start: string
  readonly end: string
  /** The last period of the chart before this one. */
  readonly earlier: string
  /** The last period of the chart after this one; undefined: the current one is shown. */
  readonly later: string | undefined
}

export const periodsOf = (granularity: Granularity, until: string | undefined, now: Date): Periods => {
  const asked = until === undefined ? now : new Date(until)
  const last = asked > now ? now : asked
  const count = counts[granularity]
  const at = (back: number) => startOf(granularity, last, back)
  const isCurrent = at(0).getTime() === startOf(granularity, now, 0).getTime()
  return {
    names: Array.from({ length: count }, (_, index) => nameOf(granularity, at(count - 1 - index))),
    start: at(count - 1).toISOString(),
    end: at(-1).toISOString(),
    earlier: nameOf(granularity, at(count)),
    later: isCurrent ? undefined : nameOf(granularity, at(-count)),
  }
}

const formats: Readonly<Record<Granularity, Intl.DateTimeFormatOptions>> = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
}

/** `15 Nov, 02:00`, `15 Nov` or `Nov 2026`, in UTC whatever the time zone of the browser. */
export const periodLabel = (granularity: Granularity, name: string): string =>
  new Intl.DateTimeFormat('en-GB', { ...formats[granularity], timeZone: 'UTC' }).format(new Date(name))

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `18 Oct 2026 to 17 Nov 2026`. */
export const rangeLabel = ({ start, end }: Pick<Periods, 'start' | 'end'>): string =>
  `${dayFormat.format(new Date(start))} to ${dayFormat.format(new Date(Date.parse(end) - 1))}`
