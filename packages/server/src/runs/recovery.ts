// When a stalled run is recovered automatically: with a growing delay, and a limited number of times.
//
// A run whose worker vanished may have ended it, or may have been beside the run that did. So such a run is recovered
// together with others at first, then as the only suspect of its worker, and the last time alone. Only a worker that
// vanishes then uses up the recoveries. See docs/decisions/0023.
import { noSuspects, type SuspectRule } from '../store/run-log/run-claimer.ts'

export interface RecoveryRule {
  readonly delaySeconds: number
  readonly maxRecoveries: number
}

const longestDelaySeconds = 300

/** The first time a worker vanishes says nothing about its runs. */
const suspectFrom = 2

export const suspectRule = ({ maxRecoveries }: RecoveryRule): SuspectRule =>
  maxRecoveries === 0 ? noSuspects : { suspectFrom: Math.min(suspectFrom, maxRecoveries), aloneFrom: maxRecoveries }

/** Undefined: the run stays stalled until someone resumes or cancels it. */
export function recoveryDelayMs(rule: RecoveryRule, recoveries: number): number | undefined {
  return recoveries >= rule.maxRecoveries ? undefined : delayMs(rule, recoveries)
}

interface LostRun {
  readonly recoveries: number
  /** Without the one that has just vanished. */
  readonly lostWorkers: number
  readonly wasAlone: boolean
}

/** The same for a run whose worker vanished. */
export function recoveryAfterLossMs(rule: RecoveryRule, run: LostRun): number | undefined {
  return rule.maxRecoveries === 0 || endsItsWorkers(rule, run) ? undefined : delayMs(rule, run.recoveries)
}

/** Also if it never comes to be alone: a worker may vanish while it claims the run. */
export const endsItsWorkers = ({ maxRecoveries }: RecoveryRule, { lostWorkers, wasAlone }: LostRun): boolean =>
  wasAlone || lostWorkers >= 2 * maxRecoveries

const delayMs = ({ delaySeconds }: RecoveryRule, recoveries: number): number =>
  Math.min(longestDelaySeconds, delaySeconds * 2 ** recoveries) * 1000
