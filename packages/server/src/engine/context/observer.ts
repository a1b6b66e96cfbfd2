// What the engine tells about its work, for metrics and traces. It is told after the fact, and cannot change anything.
import type { Role } from '@runwright/contract'
import type { ModelOutcome } from '../../models/port/model.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'

export interface EndedStep {
  readonly run: ClaimedRun
  readonly taskKey: string
  readonly kind: 'agent' | 'tool' | 'planner'
  readonly outcome: 'succeeded' | 'failed' | 'over_ceiling'
}

export interface EndedModelCall {
  readonly run: ClaimedRun
  readonly role: Role
  /** As in `ModelCall`. */
  readonly key: string
  /** How many times the call was made before, plus 1. */
  readonly tries: number
  readonly model: string
  /** False: a script answered, not a provider. */
  readonly readsPrompt: boolean
  readonly outcome: ModelOutcome
  readonly durationMs: number
}

export interface EndedToolCall {
  readonly run: ClaimedRun
  readonly callId: string
  readonly name: string
  readonly outcome: string
  readonly durationMs: number
}

/** Its functions are called often: they must be quick, and must not throw. */
export interface EngineObserver {
  claimed(runs: readonly ClaimedRun[]): void
  stepEnded(step: EndedStep): void
  modelCalled(call: EndedModelCall): void
  toolCalled(call: EndedToolCall): void
}
