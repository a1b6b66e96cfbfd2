// What a trial left behind: the evidence that checks look at.
import type { CallTokens, RunStatus, ToolOutcome } from '@runwright/contract'
import type { awaitingInput } from '../cases/check.ts'

export interface ObservedCall {
  readonly name: string
  readonly input: unknown
  readonly outcome: ToolOutcome
}

/** A call to a model. */
export interface ModelCall {
  readonly model: string
  readonly tokens: CallTokens
}

export interface Observation {
  readonly runId: string | undefined
  readonly status: RunStatus | typeof awaitingInput | 'refused' | 'timeout'
  /** Why it did not succeed, in words. */
  readonly why: string | undefined
  /** The text of the result. Empty if the run did not succeed. */
  readonly content: string
  /** The structured result, or null. */
  readonly output: unknown
  /** In the order in which they ended. */
  readonly calls: readonly ObservedCall[]
  readonly tokens: number
  /** The calls to models with their tokens, of all roles. The sandbox leaves none. */
  readonly modelCalls: readonly ModelCall[]
  /** Replies of the worker's model. */
  readonly turns: number
  readonly seconds: number
  /** The state of the world at the end. Undefined without a world. */
  readonly state: unknown
}
