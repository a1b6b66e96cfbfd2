// What a call is made with, and how it can end.
import type { ApprovalRules } from '@runwright/contract'
import type { CallResultEntry } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import type { StepOf } from '../../runs/step-events.ts'
import type { PlannedAnswer } from './decided-call.ts'

export interface CallOptions {
  readonly step: StepOf
  readonly allowed: ReadonlySet<string> | undefined
  /**
   * Calls that started in an earlier execution of the run. If such a call has no result, it may or may not have taken
   * place.
   */
  readonly begunBefore: ReadonlySet<string>
  /** The time left for the step, in milliseconds. */
  readonly stepMsLeft: () => number
  /** The step names its tools: it fails if one cannot be reached. Otherwise the model is told. */
  readonly needsTools: boolean
  /** What was answered to the approval before the step, if it was about this call. */
  readonly planned?: PlannedAnswer | undefined
  /** The calls of earlier attempts of the step, oldest first. */
  readonly earlier?: readonly string[] | undefined
  /** Who decides about the step. */
  readonly rules?: ApprovalRules | undefined
}

export type CallEnd = CallResultEntry | CallNeedsPerson | CallSleeps | CallImpossible

/** The call needs an answer from a person: an approval, or whether an interrupted call took place. */
export interface CallNeedsPerson {
  readonly outcome: 'person_asked'
  readonly wait: Wait
}

/** The call only waits. It ends at this time of the run. */
export interface CallSleeps {
  readonly outcome: 'sleeps'
  readonly dueAtMs: number
}

/** The tool cannot be reached. Nothing is journaled, so a retry of the run makes the call. */
export interface CallImpossible {
  readonly outcome: 'unavailable'
  readonly message: string
}
