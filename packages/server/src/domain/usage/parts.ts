// Splits a time range so that its usage can be summed from few rows: precomputed sums of whole months, days and hours,
// plus the records of the partial hours at either end.
import { type Granularity, granularities } from '@runwright/contract'
import { periodCeiling, periodStart } from './period.ts'
import type { UsageRange } from './range.ts'

/** Consecutive whole periods of one size. */
export interface WholePeriods extends UsageRange {
  readonly grain: Granularity
}

/** A part of an hour whose records are added, or subtracted from the whole hour. */
export interface CutHour extends UsageRange {
  readonly sign: 1 | -1
}

interface UsageParts {
  /** The whole hours, from the first to the last. */
  readonly hours: UsageRange
  /** `hours`, split into the largest periods that fit and are not larger than the requested granularity. */
  readonly periods: readonly WholePeriods[]
  readonly cuts: readonly CutHour[]
}

export function usageParts(range: UsageRange, granularity: Granularity, now: string): UsageParts {
  const head = edgeAt(range.start, now)
  const tail = edgeAt(range.end, now)
  const hours = { start: head.hour, end: tail.hour }
  const cuts = [...head.cuts.map(negate), ...tail.cuts]
  return { hours, periods: wholePeriods(hours, coarsestFirst(granularity)), cuts }
}

interface Edge {
  /** The boundary of the whole hours. */
  readonly hour: string
  /** What to add to the whole hours to reach the instant itself. */
  readonly cuts: readonly CutHour[]
}

/** Reads the shorter side of the cut; time after `now` has almost no records and does not count. */
function edgeAt(instant: string, now: string): Edge {
  const hour = periodStart('hour', instant)
  const next = periodCeiling('hour', instant)
  if (hour === next) return { hour, cuts: [] }
  const before = { start: hour, end: instant }
  const after = { start: instant, end: next }
  if (secondsIn({ ...after, end: earlier(next, now) }) < secondsIn(before)) {
    return { hour: next, cuts: [{ ...after, sign: -1 }] }
  }
  return { hour, cuts: [{ ...before, sign: 1 }] }
}

/** At the start of a range, what lies before the instant is subtracted rather than added. */
const negate = (cut: CutHour): CutHour => ({ ...cut, sign: cut.sign === 1 ? -1 : 1 })

const earlier = (one: string, other: string): string => (one < other ? one : other)

/** The range must lie within one hour; 0 when it ends before it starts. */
function secondsIn({ start, end }: UsageRange): number {
  if (end <= start) return 0
  const seconds = secondOf(end) - secondOf(start)
  return seconds > 0 ? seconds : seconds + 3600
}

const secondOf = (instant: string): number => Number(instant.slice(14, 16)) * 60 + Number(instant.slice(17, 26))

const coarsestFirst = (granularity: Granularity): Granularity[] =>
  granularities.slice(0, granularities.indexOf(granularity) + 1).reverse()

function wholePeriods(range: UsageRange, [grain, ...finer]: readonly Granularity[]): WholePeriods[] {
  if (grain === undefined || range.start >= range.end) return []
  const inside = { start: periodCeiling(grain, range.start), end: periodStart(grain, range.end) }
  if (inside.start >= inside.end) return wholePeriods(range, finer)
  return [
    ...wholePeriods({ start: range.start, end: inside.start }, finer),
    { grain, ...inside },
    ...wholePeriods({ start: inside.end, end: range.end }, finer),
  ]
}
