// What a test scripts: one script, in neutral words, runs on every wire format.
import type { IncomingHttpHeaders } from 'node:http'
import type { Gate } from './gate.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export interface NeutralToolCall {
  readonly id: string | undefined
  readonly name: string
  /** Parsed; the text itself where it is not JSON. */
  readonly args: unknown
}

export interface NeutralToolResult {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly text: string
  /** Undefined: the wire format cannot say it. */
  readonly failed: boolean | undefined
}

/** Results of one turn are one message of `tool`, in every wire format. */
export interface NeutralMessage {
  readonly from: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly toolCalls: readonly NeutralToolCall[]
  readonly toolResults: readonly NeutralToolResult[]
  /** Absent: none. */
  readonly files?: readonly NeutralFile[]
}

/** An image or document inside a message. */
export interface NeutralFile {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

export interface NeutralTool {
  readonly name: string
  readonly description: string | undefined
  readonly inputSchema: JsonObject | undefined
  readonly strict: boolean
}

/** Undefined: not sent. */
export interface NeutralParameters {
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly reasoningEffort?: string | undefined
  readonly serviceTier?: string | undefined
  /** `auto`, `none`, `required`, or the name of the one tool to call. */
  readonly toolChoice?: string | undefined
  readonly parallelToolCalls?: boolean | undefined
}

export interface NeutralRequest {
  /** 0 for the first accepted request. */
  readonly index: number
  readonly model: string
  readonly stream: boolean
  readonly system: string
  readonly messages: readonly NeutralMessage[]
  readonly tools: readonly NeutralTool[]
  readonly outputSchema: JsonObject | undefined
  readonly parameters: NeutralParameters
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: JsonObject
}

export interface ScriptedCall {
  readonly name: string
  readonly args?: unknown
  /** The arguments as text, right or wrong; takes the place of `args`. */
  readonly rawArgs?: string
  /** Undefined: the mock issues one; null: the call has no id. */
  readonly id?: string | null
}

export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly reasoning?: number
}

export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal'

/**
 * How an answer is sent. A chunk is a piece of text, reasoning or tool arguments; the frames around it do not count.
 */
export interface Delivery {
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  /** The whole answer as JSON, although a stream was asked for. */
  readonly plainJson?: boolean
  /** Before the first byte. */
  readonly delayMs?: number
  /** Before each chunk. */
  readonly chunkDelayMs?: number
  /** Nothing is ever sent, until the client gives up. */
  readonly hang?: boolean
  /** The connection is closed before the first byte. */
  readonly dropConnection?: boolean
  /** The connection breaks after this many chunks; with a larger number, after the last chunk but before the end. */
  readonly cutAfterChunks?: number
  /** The answer ends properly after this many chunks, although it is not whole. */
  readonly endAfterChunks?: number
  /** Nothing more is sent after this many chunks, until the client gives up. */
  readonly silentAfterChunks?: number
  /** An error arrives inside the stream after this many chunks. */
  readonly errorAfterChunks?: { readonly chunks: number; readonly error: Fail }
  /** Waits at the gate after this many chunks; 0: before the first byte. */
  readonly hold?: { readonly afterChunks: number; readonly gate: Gate }
}

export interface Say {
  readonly kind: 'say'
  /** A list is sent piece by piece; a string is split into words. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string
  /** The reasoning is not shown: Anthropic sends it as redacted thinking. The others never show it all. */
  readonly redacted?: true
  readonly toolCalls?: readonly ScriptedCall[]
  readonly refusal?: string
  readonly finish?: Finish
  /** Undefined: counted from the lengths. `raw` is sent as it is, where the wire format has its usage. */
  readonly usage?: ScriptedUsage | 'none' | { readonly raw: unknown }
  /** Added to the answer and to each event. */
  readonly extraFields?: JsonObject
  readonly delivery?: Delivery
}

export type Failure =
  | 'rate_limited'
  | 'quota_spent'
  | 'overloaded'
  | 'server_error'
  | 'unavailable'
  | 'context_too_long'
  | 'unknown_model'
  | 'wrong_key'
  | 'forbidden'
  | 'bad_request'

export interface Fail {
  readonly kind: 'fail'
  readonly failure: Failure
  readonly message?: string
  /** The provider's own status for this failure, unless given. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Takes the place of the provider's error body; text is sent as it is. */
  readonly body?: JsonObject | string
  /** Seconds: `retry-after`, and where the provider's error body has room for it, there too. */
  readonly retryAfter?: number
  readonly delivery?: Delivery
}

export type Reply = Say | Fail
export type ReplyTo = (request: NeutralRequest) => Reply | Promise<Reply>
/** A list is used up in order; a request after its end is refused. */
export type Script = ReplyTo | readonly (Reply | ReplyTo)[]

type Rest<T> = Omit<T, 'kind'>

export const say = (text: string | readonly string[], more: Rest<Say> = {}): Say => ({ kind: 'say', text, ...more })

export const callTools = (toolCalls: readonly ScriptedCall[], more: Rest<Say> = {}): Say => ({
  kind: 'say',
  toolCalls,
  ...more,
})

export const fail = (failure: Failure, more: Omit<Rest<Fail>, 'failure'> = {}): Fail => ({
  kind: 'fail',
  failure,
  ...more,
})
