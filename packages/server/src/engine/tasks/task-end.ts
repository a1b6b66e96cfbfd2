// How the execution of one task ended, for the run's execution to act on.
import type { JudgedCall } from '../../agents/judge.ts'
import type { Task, Wait } from '../../domain/run/progress.ts'
import type { SpentBudget } from '../../lifecycle/budget-guard.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'

export interface TaskSucceeded {
  readonly end: 'succeeded'
  readonly task: Task
  readonly content: string
  readonly output: unknown
  readonly redacted: boolean
  /** Text that has not been sent as an event yet. */
  readonly rest: string
  readonly usage: readonly NewUsage[]
  /** What the judge is shown of it; undefined: there is nothing to judge. */
  readonly evidence?: Evidence | undefined
  /** Why its end needs a note in the decision. */
  readonly note?: 'turn_limit' | undefined
}

export interface Evidence {
  readonly instruction: string
  readonly calls: readonly JudgedCall[]
  /** How many turns stay when the answer turns out to be bad. */
  readonly keptTurns: number
}

export interface TaskFailed {
  readonly end: 'failed'
  readonly task: Task
  readonly reasonCode: string
  readonly message: string | undefined
  /** Another attempt of the step may help. */
  readonly retryable: boolean
  readonly content: string
  /** A secret was masked in it. */
  readonly redacted?: boolean
  readonly rest: string
  readonly usage: readonly NewUsage[]
  /** The model's last answers were the failure: so many turns of the step stay, the others are asked for again. */
  readonly keptTurns?: number | undefined
}

/** A call that may be made, or was made, only if a person says so. */
export interface PersonAsked {
  readonly end: 'person_asked'
  readonly task: Task
  readonly wait: Wait
}

/** The run has used more tokens than it may, or a budget that it draws on is spent. */
export interface OverCeiling {
  readonly end: 'over_ceiling'
  readonly task: Task
  /** Left out: the run's own ceiling. */
  readonly budget?: SpentBudget
  readonly usage: readonly NewUsage[]
}

/** It goes on at that time of the run, from the journal; until then it holds nothing. */
export interface TaskParked {
  readonly end: 'parked'
  readonly task: Task
  readonly dueAtMs: number
}

export type TaskEnd = TaskSucceeded | TaskFailed | PersonAsked | OverCeiling | TaskParked

/** What settling an end means for the run's execution. */
export type Settled = 'go on' | 'run is over' | 'needs to be alone' | { readonly parkedUntilMs: number }
