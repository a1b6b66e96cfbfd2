// Which ticks of a schedule create a run now. Ticks follow from the previous tick, not from the time at which it was
// noticed, so they do not drift.
import type { CatchUpPolicy } from '@runwright/contract'
import type { Timetable } from './timetable.ts'

/** A tick that is noticed within this time is not missed. */
export const graceMs = 60_000
/** No more missed ticks create a run, and no more are counted at once: it takes 0.3 ms to find one. */
export const maxMissed = 100

interface DueSchedule {
  readonly timetable: Timetable
  readonly catchUp: CatchUpPolicy
  /** The oldest tick that nothing was done about. */
  readonly nextAt: Date
  /** The tick was refused for a reason that passes. It is not too late for it until the next one. */
  readonly isRepeated: boolean
}

interface DueTicks {
  /** Those that create a run, oldest first. */
  readonly due: readonly Date[]
  /** How many others have passed. */
  readonly missed: number
}

/** Yields where the work can be interrupted. */
export function* dueTicks(schedule: DueSchedule, now: Date): Generator<void, DueTicks> {
  const passed = yield* passedTicks(schedule, now)
  if (schedule.catchUp === 'all') {
    const due = passed.slice(-maxMissed)
    return { due, missed: passed.length - due.length }
  }
  const due = passed.slice(-1).filter((tick) => !isTooLate(schedule, tick, now))
  return { due, missed: passed.length - due.length }
}

/** The latest of those that have passed, oldest first. */
function* passedTicks({ timetable, catchUp, nextAt }: DueSchedule, now: Date): Generator<void, Date[]> {
  const following = timetable.next(nextAt)
  if (!following || following > now) return [nextAt]
  const count = catchUp === 'all' ? 2 * maxMissed : maxMissed
  const passed: Date[] = []
  for (const tick of timetable.backwards(now, nextAt)) {
    passed.push(tick)
    if (passed.length === count) break
    yield
  }
  return passed.reverse()
}

function isTooLate({ catchUp, nextAt, isRepeated }: DueSchedule, tick: Date, now: Date): boolean {
  if (catchUp === 'latest' || (isRepeated && tick.getTime() === nextAt.getTime())) return false
  return now.getTime() - tick.getTime() > graceMs
}
