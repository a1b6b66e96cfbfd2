// The model port: a conversation and some tools in, text, tool calls or a structured output back. Failures are values.
import type { Role, SandboxScript } from '@runwright/contract'

/** A tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface AskedToolCall {
  /** The model's own id of the call, to match its result in the next turn. */
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export type Message =
  | { readonly from: 'system' | 'user'; readonly text: string }
  | { readonly from: 'assistant'; readonly text: string; readonly toolCalls: readonly AskedToolCall[] }
  | {
      readonly from: 'tool'
      readonly callId: string
      readonly name: string
      readonly result: unknown
      readonly failed: boolean
    }

/** What the sandbox needs to follow its script; other models ignore it. */
export interface Rehearsal {
  readonly script: SandboxScript | undefined
  /** Which agent step of the run this is, or for a planner, which one comes next: 0, 1, 2 … */
  readonly agentStep: number
  /** How often this step has failed in this run, over all attempts and retries. */
  readonly failures: number
  /** The turn within this attempt: 0, and one more after each round of tool calls. */
  readonly turn: number
  /** No agent step is left after this one, as far as the plan tells; undefined without a plan. */
  readonly isLast: boolean | undefined
}

export interface ModelRequest {
  readonly role: Role
  readonly messages: readonly Message[]
  readonly tools: readonly OfferedTool[]
  /** JSON Schema that `output` of the reply must fit; undefined: free text. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  readonly maxOutputTokens: number | undefined
  readonly signal: AbortSignal
  /** Text as it comes. The next piece is not asked for before this resolves: a slow log slows the model down. */
  readonly onText: (text: string) => void | Promise<void>
  readonly rehearsal: Rehearsal
}

/** Tokens of one completion; undefined: the provider does not say, and nothing is metered. */
export type Tokens = number | undefined

export type ModelOutcome =
  | {
      readonly kind: 'reply'
      readonly text: string
      readonly toolCalls: readonly AskedToolCall[]
      readonly output: unknown
      readonly tokens: Tokens
    }
  | {
      readonly kind: 'failure'
      /** `provider_error`, `provider_auth`, or a scripted one. */
      readonly reasonCode: string
      readonly message: string
      readonly retryable: boolean
      /** What had come before it failed. */
      readonly text: string
      readonly tokens: Tokens
    }
  | {
      /** The signal aborted it. What had been said by then is counted by estimate, never as nothing. */
      readonly kind: 'aborted'
      readonly text: string
      readonly tokens: Tokens
    }

export interface Model {
  /** `sandbox` or `provider/model`, for logs and pages. */
  readonly name: string
  /** False: it never looks at the messages, and nothing needs to be looked up for them. */
  readonly readsPrompt?: boolean
  respond(request: ModelRequest): Promise<ModelOutcome>
}
