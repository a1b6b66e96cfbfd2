// What the engine tells about its work, for metrics and traces. It is told after the fact, and cannot change anything.
import type { Role } from '@runwright/contract'
import type { ModelOutcome } from '../../models/port/model.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'

export interface EndedStep {
  readonly kind: 'agent' | 'tool' | 'planner'
  readonly outcome: 'succeeded' | 'failed' | 'over_ceiling'
}

export interface EndedPlan extends EndedStep {
  readonly run: ClaimedRun
  readonly taskKey: string
  /** How often the task has failed before. */
  readonly failures: number
  /** On the clock of this process. */
  readonly startedMs: number
}

/** One call to a model within a run. */
export interface ModelCallName {
  readonly run: ClaimedRun
  /** As in `ModelCall`. */
  readonly key: string
  /** How often the task has failed before: its calls are made again with the same keys. */
  readonly failures: number
  /** How many times the call was made before, plus 1. */
  readonly tries: number
}

export interface EndedModelCall extends ModelCallName {
  readonly role: Role
  readonly model: string
  /** Whose step it belongs to. Undefined: no agent of the operator's. */
  readonly agent: string | undefined
  /** False: a script answered, not a provider. */
  readonly readsPrompt: boolean
  readonly outcome: ModelOutcome
  readonly durationMs: number
}

export interface ToolCallName {
  readonly run: ClaimedRun
  readonly callId: string
  /** Which sending of the call in this execution, counted from 1. 0: it was not sent. */
  readonly sending: number
}

export interface EndedToolCall extends ToolCallName {
  readonly name: string
  readonly outcome: string
  readonly durationMs: number
}

/** Its functions are called often: they must be quick, and must not throw. */
export interface EngineObserver {
  claimed?(runs: readonly ClaimedRun[]): void
  /** This process no longer executes the run, for whatever reason. */
  executionEnded?(run: ClaimedRun): void
  /** A planner step is one too. */
  stepEnded?(step: EndedStep): void
  planEnded?(plan: EndedPlan): void
  modelCalled?(call: EndedModelCall): void
  toolCalled?(call: EndedToolCall): void
  /** The call was sent, and its result does not count: it is made again, or a person is asked. */
  toolTried?(call: EndedToolCall): void
  /** The trace that the run belongs to. Undefined: it has none. */
  traceIdOf?(run: ClaimedRun): string | undefined
  /** The header `traceparent` for the provider. Undefined: none is sent. */
  traceparentOfModelCall?(call: ModelCallName): string | undefined
  /** The same for a tool. */
  traceparentOfToolCall?(call: ToolCallName): string | undefined
}
