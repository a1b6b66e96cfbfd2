// The time axis of a run without its idle gaps: a run that waited a night for a person shows its minutes of work. A gap
// in which nothing worked is as short as a small part of the axis, whatever it took.
export interface Interval {
  readonly from: number
  readonly to: number
}

export interface TimeCut extends Interval {
  /** Its middle on the axis, from 0 to 1. */
  readonly at: number
}

export interface TimeScale {
  /** From 0 to 1. */
  readonly at: (ms: number) => number
  readonly cuts: readonly TimeCut[]
  /** Without the gaps, in ms. */
  readonly length: number
}

/** Shorter gaps are shown as they are. */
const shortestCutMs = 10_000
/** How much of the axis a cut gap takes. */
const cutShare = 0.03

/** The gaps between what worked, within these bounds. */
const gapsBetween = (busy: readonly Interval[], { from, to }: Interval): readonly Interval[] => {
  const gaps: Interval[] = []
  let end = from
  for (const one of busy.toSorted((a, b) => a.from - b.from)) {
    if (one.from > end) gaps.push({ from: end, to: Math.min(one.from, to) })
    end = Math.max(end, one.to)
  }
  if (end < to) gaps.push({ from: end, to })
  return gaps
}

export const timeScale = (busy: readonly Interval[], bounds: Interval): TimeScale => {
  const whole = Math.max(1, bounds.to - bounds.from)
  const least = Math.max(shortestCutMs, whole * cutShare * 2)
  const gaps = gapsBetween(busy, bounds).filter((gap) => gap.to - gap.from >= least)
  const lengthOf = (list: readonly Interval[]) => list.reduce((sum, { from, to }) => sum + to - from, 0)
  const length = Math.max(1, whole - lengthOf(gaps))
  // At most half of the axis is cuts.
  const share = Math.min(cutShare, 0.5 / Math.max(1, gaps.length))
  const work = 1 - share * gaps.length
  const at = (ms: number): number => {
    const time = Math.min(Math.max(ms, bounds.from), bounds.to)
    const before = gaps.filter(({ to }) => to <= time)
    const inside = gaps.find(({ from, to }) => from < time && time < to)
    const worked = time - bounds.from - lengthOf(before) - (inside ? time - inside.from : 0)
    const cut = before.length + (inside ? (time - inside.from) / (inside.to - inside.from) : 0)
    return (worked / length) * work + cut * share
  }
  return { at, cuts: gaps.map((gap) => ({ ...gap, at: at((gap.from + gap.to) / 2) })), length }
}
