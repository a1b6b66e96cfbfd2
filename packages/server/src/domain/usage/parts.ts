// Takes a range of time apart so that it can be added up from few rows: whole months, days and hours that are summed
// beforehand, and what is left of the hours that the range cuts, record by record.
import { type Granularity, granularities } from '@runwright/contract'
import { periodCeiling, periodStart } from './period.ts'
import type { UsageRange } from './range.ts'

/** So many whole periods. */
export interface WholePeriods extends UsageRange {
  readonly grain: Granularity
}

/** Records of an hour that is cut: to be added, or taken away from the whole hour. */
export interface CutHour extends UsageRange {
  readonly sign: 1 | -1
}

export interface UsageParts {
  /** The hours that are taken as a whole, from the first to the last. */
  readonly hours: UsageRange
  /** The same, in the largest periods that lie inside and are no larger than the granularity asked for. */
  readonly periods: readonly WholePeriods[]
  readonly cuts: readonly CutHour[]
}

export function usageParts(range: UsageRange, granularity: Granularity, now: string): UsageParts {
  const head = edgeAt(range.start, now)
  const tail = edgeAt(range.end, now)
  const hours = { start: head.hour, end: tail.hour }
  const cuts = [...head.left.map(negative), ...tail.left]
  return { hours, periods: wholePeriods(hours, coarsestFirst(granularity)), cuts }
}

interface Edge {
  /** The whole hours end here. */
  readonly hour: string
  /** What has to be added to get to the instant itself. */
  readonly left: readonly CutHour[]
}

/** A range that ends at an instant. Whichever side of the cut holds less is read; after now there is next to nothing. */
function edgeAt(instant: string, now: string): Edge {
  const hour = periodStart('hour', instant)
  const next = periodCeiling('hour', instant)
  if (hour === next) return { hour, left: [] }
  const before = { start: hour, end: instant }
  const after = { start: instant, end: next }
  if (secondsIn({ ...after, end: earlier(next, now) }) < secondsIn(before)) {
    return { hour: next, left: [{ ...after, sign: -1 }] }
  }
  return { hour, left: [{ ...before, sign: 1 }] }
}

/** What one range ends with, another that starts there begins without. */
const negative = (cut: CutHour): CutHour => ({ ...cut, sign: cut.sign === 1 ? -1 : 1 })

const earlier = (one: string, other: string): string => (one < other ? one : other)

/** Of one hour; nothing when it ends before it starts. */
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
