// How the execution of a task ended, as input for the run's execution.
import type { JudgedCall } from '../../agents/judge.ts'
import type { TaskKey } from '../../domain/run/journal.ts'
import type { Task, Wait } from '../../domain/run/next-move.ts'
import type { SpentBudget } from '../../runs/budget-guard.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'

export interface TaskSucceeded {
  readonly kind: 'succeeded'
  readonly task: Task
  readonly content: string
  readonly output: unknown
  readonly redacted: boolean
  /** Text that is not sent as an event yet. */
  readonly rest: string
  readonly usage: readonly NewUsage[]
  /** What the judge sees. Undefined if there is nothing to judge. */
  readonly evidence?: Evidence | undefined
  /** Set when the decision event must mention how the step ended. */
  readonly note?: 'turn_limit' | undefined
}

export interface Evidence {
  readonly instruction: string
  readonly calls: readonly JudgedCall[]
  /** How many turns to keep if the answer turns out to be bad. */
  readonly keptTurns: number
}

export interface TaskFailed {
  readonly kind: 'failed'
  readonly task: Task
  readonly reasonCode: string
  /** The provider's words. Undefined if the provider did not fail. */
  readonly message: string | undefined
  /** Why the step failed although the provider answered, for `include=failure`. */
  readonly explanation?: string | undefined
  /** Another attempt of the step may succeed. */
  readonly retryable: boolean
  readonly content: string
  /** A secret was masked in the content. */
  readonly redacted?: boolean
  readonly rest: string
  readonly usage: readonly NewUsage[]
  /** The step cannot be executed as its plan says. If a planner made the plan, it can make another one. */
  readonly misplanned?: true
  /** Set if the model's last answers caused the failure: how many turns to keep. The others are asked for again. */
  readonly keptTurns?: number | undefined
  /** The id of the call that a person decided about before the step, if it was not made for that reason. */
  readonly refusedCall?: string | undefined
}

/** The call needs an answer from a person. */
export interface PersonAsked {
  readonly kind: 'person_asked'
  readonly task: Task
  readonly wait: Wait
}

/** The run has used more tokens than allowed, or one of its budgets is exhausted. */
export interface OverCeiling {
  readonly kind: 'over_ceiling'
  readonly task: Task
  /** Absent: the run's own limit. */
  readonly budget?: SpentBudget
  readonly usage: readonly NewUsage[]
}

/** The task continues from the journal at this time of the run. Until then it holds nothing. */
export interface TaskParked {
  readonly kind: 'parked'
  readonly task: Task
  readonly dueAtMs: number
}

export type TaskEnd = TaskSucceeded | TaskFailed | PersonAsked | OverCeiling | TaskParked

/** The other tasks of the run while one of them ends. */
export interface OtherTasks {
  /** Executing or sleeping. */
  readonly keys: readonly TaskKey[]
  /** None is executing. Sleeping tasks do not count. */
  readonly isQuiet: boolean
}

export const noOtherTasks: OtherTasks = { keys: [], isQuiet: true }
