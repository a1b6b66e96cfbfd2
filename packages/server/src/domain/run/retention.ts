// How long runs are kept after their end: by outcome, else by class.
import type { RunClass } from '@runwright/contract'
import type { RunState } from './states.ts'

/** Days by class, and by the state that a run ended in. The state takes precedence. Left out: the run is kept. */
export type RetentionDays = Readonly<Partial<Record<RunClass | RunState, number>>>

interface RetentionSettings {
  readonly days: number | undefined
  readonly daysShort: number | undefined
  readonly daysLong: number | undefined
  readonly daysFailed: number | undefined
  readonly daysCancelled: number | undefined
}

export function retentionOf(settings: RetentionSettings): RetentionDays {
  const { days, daysShort = days, daysLong = days, daysFailed, daysCancelled } = settings
  const all = { default: days, short: daysShort, long: daysLong, failed: daysFailed, cancelled: daysCancelled }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** The retention of a customer that has its own. */
export const sameForAll = (days: number): RetentionDays => ({ default: days, short: days, long: days })

/** Younger runs need not be looked at; undefined: all runs are kept. */
export function shortestDays(retention: RetentionDays): number | undefined {
  const days = Object.values(retention)
  return days.length > 0 ? Math.min(...days) : undefined
}
