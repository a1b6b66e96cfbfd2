// The model port: takes a conversation and a list of tools, returns text or tool calls. Failures are values.
//
// `respond` makes one completion. It does not retry: the engine repeats failed calls, parks the run between them and
// meters their tokens. Nothing that a provider does makes `respond` reject. It rejects only with what `onText` throws;
// any other rejection is a defect of the implementation and fails the run.
//
// All text in an outcome must be storable in PostgreSQL: without U+0000 and without lone surrogates.
import type { Role, SandboxScript } from '@runwright/contract'

/** A tool that the model may call. */
export interface OfferedTool {
  /** May contain a dot, as in `server.tool`. If the provider refuses such names, the implementation maps them. */
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A tool call that the model asks for. The engine makes it and returns the result in the next request. */
export interface AskedToolCall {
  /** Matches the call with its result in later turns. Unique within a reply: replace missing or repeated ids. */
  readonly id: string
  /** The name as offered. A name that was not offered is passed on as it is; the engine refuses the call. */
  readonly name: string
  /** The parsed arguments, or their text if the model did not write valid JSON. */
  readonly input: unknown
  /** Set by the engine: the model wrote it as a call of this tool, and `name` and `input` are what that named. */
  readonly via?: 'call_tool' | undefined
}

/** A file that belongs to a message, such as an image. */
export interface AttachedFile {
  /** How the prompt names it: the reference that the client gave. */
  readonly ref: string
  readonly mediaType: string
  readonly data: Uint8Array
}

/** One message of the conversation. */
export type Message =
  | {
      readonly from: 'system' | 'user'
      readonly text: string
      /** Only in user messages. A model that takes no such files is told their names in words. */
      readonly files?: readonly AttachedFile[]
    }
  | {
      readonly from: 'assistant'
      readonly text: string
      readonly toolCalls: readonly AskedToolCall[]
      /** The `echo` of the reply that this message repeats. Send it to the provider unchanged. */
      readonly echo?: unknown
    }
  | {
      readonly from: 'tool'
      /** The `id` of the call. */
      readonly callId: string
      readonly name: string
      /** Any JSON value; the error message if the call failed. */
      readonly result: unknown
      /** If the protocol has no flag for a failed call, the text sent to the provider must say so. */
      readonly failed: boolean
    }

/** What the sandbox needs to follow its script. Other models ignore it. */
export interface Rehearsal {
  /** The script of the run's input, if it has one. */
  readonly script: SandboxScript | undefined
  /** The index of the agent step within the run: 0, 1, 2 … For a planner, the index of the next one. */
  readonly agentStep: number
  /** How many times this step has failed in this run, over all attempts and retries. */
  readonly failures: number
  /** The turn within the step: 0 at first, plus one after each round of tool calls. */
  readonly turn: number
  /** How many answers of the step were revised before. */
  readonly revision?: number
  /** Set if the judge is to grade an answer. */
  readonly grades?: true
  /** Whether this is the last agent step of the plan. Undefined without a plan. */
  readonly isLast: boolean | undefined
}

/** From no reasoning to the most. A provider that has fewer levels gets the nearest one. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** How a model answers. What is left out is up to the provider. */
export interface ModelParameters {
  readonly temperature?: number
  /** One of `reasoningEfforts`. Others are not sent. */
  readonly reasoningEffort?: string
  /** The most tokens of one answer. The rest of the run's tokens may lower it. */
  readonly maxOutputTokens?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly serviceTier?: string
}

/** Which call of which run a request is. */
export interface CallOrigin {
  readonly runId: string
  /** Identifies the call within the run. A repeated call has the same key. */
  readonly callKey: string
  /** The same for all runs that do the same. */
  readonly fingerprint: () => string
  /** A text of the prompt without what differs in every execution, such as the date. */
  readonly comparable: (text: string) => string
}

/**
 * A keyword of our own in an output schema: the reader also takes the value as JSON in a text. For providers that
 * enforce only objects whose properties are all known. It is never sent.
 */
export const jsonTextKeyword = 'x-json-text'

export interface ModelRequest {
  /** The role that the model plays in this call. Only the sandbox behaves differently by role. */
  readonly role: Role
  /**
   * The conversation, starting with one system message. User and assistant messages need not alternate: join
   * consecutive ones if the provider requires it. Empty for a model that reads no prompts.
   */
  readonly messages: readonly Message[]
  /** The tools that the model may call. May be empty. */
  readonly tools: readonly OfferedTool[]
  /**
   * JSON Schema for the text of the reply; undefined for free text. Use the provider's structured output if it has
   * one, otherwise ask for it in the prompt. The caller validates the reply.
   */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  /**
   * How many tokens the run may still use for the answer. Undefined: the model's own maximum. Leave the limit out if
   * the provider would refuse a number this large; the caller checks the usage after the completion.
   */
  readonly maxOutputTokens: number | undefined
  /** Wins over the parameters that the model was opened with. */
  readonly parameters?: ModelParameters | undefined
  /**
   * Ends the call at once: close the connection, do not call `onText` again, and resolve with `aborted`. It may be
   * aborted before the call starts; then nothing is sent.
   */
  readonly signal: AbortSignal
  /**
   * Takes the text of the answer piece by piece, without reasoning that the provider sends separately. Wait until it
   * resolves before reading more from the provider, so that a slow log slows the model down. If it throws, close the
   * connection and reject with the same error.
   */
  readonly onText: (text: string) => void | Promise<void>
  readonly rehearsal: Rehearsal
  /** Only models that replay recorded calls read it. */
  readonly origin?: CallOrigin
  /** Is sent to the provider as the header of this name. */
  readonly traceparent?: string | undefined
}

/** Tokens of one completion. */
export interface TokenUsage {
  /** The metered number: everything that the provider counts. */
  readonly total: number
  /** Tokens of the prompt. */
  readonly input?: number
  /** Tokens of the answer, including reasoning. */
  readonly output?: number
  /** The part of `input` that the provider read from its cache. */
  readonly cached?: number
  /** The part of `output` that the model used for reasoning. */
  readonly reasoning?: number
  /** Set if the provider reported no usage or an impossible one, and `estimateTokens` was used instead. */
  readonly estimated?: true
}

/** What every outcome may say about the request. */
interface SentPrompt {
  /** What the provider's system message said in addition, such as the output schema. */
  readonly addedToSystem?: string
}

/** The model answered. A reply that broke off in the stream is a failure, not a reply. */
export interface ModelReply extends SentPrompt {
  readonly kind: 'reply'
  /** The whole text, as it was passed to `onText`. Empty if the model only called tools. */
  readonly text: string
  /** In the order in which the model asked for them. Empty if it asked for none. */
  readonly toolCalls: readonly AskedToolCall[]
  /** Structured output that the provider returns as a value instead of text. */
  readonly output?: unknown
  /** `length`: the answer was cut off at the limit of output tokens. */
  readonly finish: 'complete' | 'length'
  /** Undefined if the call is free and not metered. If the provider reports no usage, estimate it. */
  readonly usage: TokenUsage | undefined
  /**
   * JSON that the provider needs back with this reply in later turns, such as reasoning items or signatures. It is
   * journaled, and returned as `echo` of the assistant message. After a fallback another model may receive it.
   */
  readonly echo?: unknown
}

/** The provider failed or refused, or the model refused to answer. */
export interface ModelFailure extends SentPrompt {
  readonly kind: 'failure'
  /**
   * An event reason of the contract, or one from a sandbox script. The engine acts on three of them: `context_exceeded`
   * shortens the conversation and asks again; `provider_auth` and `provider_quota` move on to the next model of the
   * list. The others are `provider_rate_limited` and `provider_unavailable` (transient), `provider_refused` (by the
   * model or a content filter), and `provider_error` for every other refusal of the request.
   */
  readonly reasonCode: string
  /** A short message with the provider's own explanation. Clients see it: no keys, no URLs with passwords. */
  readonly message: string
  /**
   * What may help. `call`: the same call later, for transient failures; the engine backs off and repeats it. `step`:
   * another attempt of the step. `never`: nothing, and the step fails.
   */
  readonly retry: 'call' | 'step' | 'never'
  /** How long the provider asks to wait before the next call. Only with `retry: 'call'`. */
  readonly retryAfterMs?: number
  /** The text that arrived before the failure. */
  readonly text: string
  /** Undefined if nothing is billed, as for a refused request. A reply that broke off is billed: estimate it. */
  readonly usage: TokenUsage | undefined
}

/** The signal ended the call. This outcome takes precedence over a reply or failure that arrives at the same time. */
export interface ModelAborted extends SentPrompt {
  readonly kind: 'aborted'
  /** The text that arrived before the abort. */
  readonly text: string
  /** Estimate what was used so far, including the prompt. Undefined only if nothing was sent or the call is free. */
  readonly usage: TokenUsage | undefined
}

export type ModelOutcome = ModelReply | ModelFailure | ModelAborted

/** One model of a provider. All runs of a process share it, and its calls may run concurrently. */
export interface Model {
  /** `sandbox` or `provider/model`. Shown in logs, the journal and the console. */
  readonly name: string
  /** Default: true. False: `respond` never reads `messages`, so no prompt is built and memory is not searched. */
  readonly readsPrompt?: boolean
  /** How many tokens fit into one call, prompt and answer together. Undefined: `RUNWRIGHT_CONTEXT_TOKENS` applies. */
  readonly contextTokens?: number | undefined
  /** The media types of files that it takes; `image/*` is all images. Default: none. */
  readonly acceptsFiles?: readonly string[] | undefined
  /** Makes one completion. Resolves for every outcome, including failures. */
  respond(request: ModelRequest): Promise<ModelOutcome>
}
