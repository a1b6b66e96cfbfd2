// Splits a time range so that its usage can be summed from few rows: precomputed sums of whole months, days and hours,
// plus the records of the partial hours at either end, and of hours of the past that have no sums any more.
import { type Granularity, granularities } from '@runwright/contract'
import { periodCeiling, periodStart } from './period.ts'
import type { UsageRange } from './range.ts'

/** Consecutive whole periods of one size. */
export interface WholePeriods extends UsageRange {
  readonly grain: Granularity
}

/**
 * A part of an hour whose records are added, or subtracted from the whole hour; or whole hours whose records are added.
 */
export interface CutHour extends UsageRange {
  readonly sign: 1 | -1
}

interface UsageParts {
  /**
   * The largest periods that fit into the range and are not larger than the requested granularity, and that have sums.
   */
  readonly periods: readonly WholePeriods[]
  /** What `periods` cover, in as few ranges as possible. */
  readonly covered: readonly UsageRange[]
  readonly cuts: readonly CutHour[]
}

export interface UsageClock {
  readonly now: string
  /** Earlier hours have no sums. Left out: all have. */
  readonly hoursSince?: string | undefined
}

export function usageParts(range: UsageRange, granularity: Granularity, clock: UsageClock): UsageParts {
  const head = edgeAt(range.start, clock.now)
  const tail = edgeAt(range.end, clock.now)
  const whole = wholePeriods({ start: head.hour, end: tail.hour }, coarsestFirst(granularity))
  const periods = whole.flatMap((period) => withSums(period, clock.hoursSince))
  const old = whole.flatMap((period) => withoutSums(period, clock.hoursSince))
  const cuts = [...head.cuts.map(negate), ...tail.cuts, ...old.map((hours) => ({ ...hours, sign: 1 as const }))]
  return { periods, covered: joined(periods), cuts }
}

function withSums(period: WholePeriods, hoursSince: string | undefined): WholePeriods[] {
  if (period.grain !== 'hour' || hoursSince === undefined || hoursSince <= period.start) return [period]
  return hoursSince < period.end ? [{ ...period, start: hoursSince }] : []
}

function withoutSums({ grain, start, end }: WholePeriods, hoursSince: string | undefined): UsageRange[] {
  if (grain !== 'hour' || hoursSince === undefined || hoursSince <= start) return []
  return [{ start, end: earlier(end, hoursSince) }]
}

function joined(ranges: readonly UsageRange[]): UsageRange[] {
  const all: UsageRange[] = []
  for (const { start, end } of ranges) {
    const last = all.at(-1)
    if (last?.end === start) all[all.length - 1] = { start: last.start, end }
    else all.push({ start, end })
  }
  return all
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
