// The model port: a conversation and some tools in, text or tool calls back. Failures are values.
//
// An implementation makes one call per `respond`. It does not retry: the engine repeats calls, parks runs between them and
// counts what they cost. It never throws for what a provider does; a rejected promise is a defect of the implementation.
import type { Role, SandboxScript } from '@runwright/contract'

/** A tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface AskedToolCall {
  /** The model's own id of the call, to match its result in the next turn. Unique within a reply. */
  readonly id: string
  readonly name: string
  /** The arguments; text when the model wrote something that is not JSON. */
  readonly input: unknown
}

export type Message =
  | { readonly from: 'system' | 'user'; readonly text: string }
  | {
      readonly from: 'assistant'
      readonly text: string
      readonly toolCalls: readonly AskedToolCall[]
      /** `echo` of the reply: what the provider wants back unchanged. */
      readonly echo?: unknown
    }
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
  /** The turn within the step: 0, and one more after each round of tool calls. */
  readonly turn: number
  /** No agent step is left after this one, as far as the plan tells; undefined without a plan. */
  readonly isLast: boolean | undefined
}

export interface ModelRequest {
  readonly role: Role
  /** Starts with one system message; user and assistant turns need not alternate, the implementation joins them. */
  readonly messages: readonly Message[]
  readonly tools: readonly OfferedTool[]
  /** JSON Schema that the text of the reply has to match; undefined: free text. The caller validates the reply. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  readonly maxOutputTokens: number | undefined
  /** Ends the call at once: the outcome is `aborted`. */
  readonly signal: AbortSignal
  /** Text as it comes. The next piece is not asked for before this resolves: a slow log slows the model down. */
  readonly onText: (text: string) => void | Promise<void>
  readonly rehearsal: Rehearsal
}

/** Tokens of one completion. */
export interface TokenUsage {
  /** What is metered: everything the provider counts. */
  readonly total: number
  readonly input?: number
  readonly output?: number
  /** Part of `input` that came from the provider's cache. */
  readonly cached?: number
  /** Part of `output` that the model used for reasoning. */
  readonly reasoning?: number
  /** The provider did not say, or what it said cannot be true. */
  readonly estimated?: true
}

export interface ModelReply {
  readonly kind: 'reply'
  readonly text: string
  readonly toolCalls: readonly AskedToolCall[]
  /** Structured output that does not come as text; undefined: the text is all there is. */
  readonly output?: unknown
  /** `length`: cut at the limit of output tokens. */
  readonly finish: 'complete' | 'length'
  /** Undefined: nothing is metered. */
  readonly usage: TokenUsage | undefined
  /** JSON that must be sent back with this reply in later turns: reasoning items, signatures. */
  readonly echo?: unknown
}

export interface ModelFailure {
  readonly kind: 'failure'
  /** One of the contract's, or a scripted one. */
  readonly reasonCode: string
  /** One sentence, with the provider's own words and without keys or addresses with passwords. */
  readonly message: string
  /** What may help: the same call later, another attempt of the step, or nothing. */
  readonly retry: 'call' | 'step' | 'never'
  /** How long the provider asks to wait before the next call. */
  readonly retryAfterMs?: number
  /** What had come before it failed. */
  readonly text: string
  readonly usage: TokenUsage | undefined
}

/** The signal ended the call. What was spent by then is counted by estimate, never as nothing. */
export interface ModelAborted {
  readonly kind: 'aborted'
  readonly text: string
  readonly usage: TokenUsage | undefined
}

export type ModelOutcome = ModelReply | ModelFailure | ModelAborted

export interface Model {
  /** `sandbox` or `provider/model`, for logs and pages. */
  readonly name: string
  /** False: it never looks at the messages, and nothing needs to be looked up for them. */
  readonly readsPrompt?: boolean
  /** How many tokens fit into one call, prompt and answer together; undefined: the service's setting. */
  readonly contextTokens?: number | undefined
  respond(request: ModelRequest): Promise<ModelOutcome>
}
