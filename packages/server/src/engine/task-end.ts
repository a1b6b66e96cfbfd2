// How the execution of one task ended, for the run's execution to act on.
import type { Task } from '../domain/run-progress.ts'
import type { NewUsage } from '../store/run-log/run-change.ts'

export interface TaskSucceeded {
  readonly end: 'succeeded'
  readonly task: Task
  readonly content: string
  readonly output: unknown
  readonly redacted: boolean
  /** Text that has not been sent as an event yet. */
  readonly rest: string
  readonly usage: readonly NewUsage[]
}

export interface TaskFailed {
  readonly end: 'failed'
  readonly task: Task
  readonly reasonCode: string
  readonly message: string | undefined
  readonly retryable: boolean
  readonly content: string
  readonly rest: string
  readonly usage: readonly NewUsage[]
}

/** A call that may or may not have happened: only a person can tell. */
export interface OutcomeUnknown {
  readonly end: 'outcome_unknown'
  readonly task: Task
  readonly waitKey: string
  readonly toolName: string
}

/** The run has used more tokens than it may. */
export interface OverCeiling {
  readonly end: 'over_ceiling'
  readonly task: Task
  readonly usage: readonly NewUsage[]
}

export type TaskEnd = TaskSucceeded | TaskFailed | OutcomeUnknown | OverCeiling

/** What settling an end means for the run's execution. */
export type Settled = 'go on' | 'run is over' | 'needs to be alone'
