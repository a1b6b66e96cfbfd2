// What a provider's wire format does for the server: read a request strictly, write an answer as the provider does.
import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from './refusal.ts'
import type { Fail, JsonObject, NeutralRequest, Say } from './script.ts'

export interface IncomingCall {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
}

/** What a format reads from a request; the server adds the rest. */
export type ReadRequest = Omit<NeutralRequest, 'index' | 'url' | 'headers'>

export interface StreamEvent {
  readonly text: string
  /** A piece of content, and not a frame around it. */
  readonly isContent: boolean
}

export interface Answer {
  readonly json: JsonObject
  readonly events: readonly StreamEvent[]
  /** Of the stream. */
  readonly contentType: string
}

export interface PlainAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: JsonObject | string
}

export interface WireFormat {
  /** Where an SDK's base URL ends, for example `/v1`. */
  readonly basePath: string
  /** Throws a Refusal when the key is missing or wrong. */
  checkKey(call: IncomingCall): void
  /** Calls that need no script, for example a list of models. Undefined: not one of them. */
  answerAside(call: IncomingCall, body: unknown): PlainAnswer | undefined
  /** Whether this is the call that the script answers. */
  isModelCall(call: IncomingCall): boolean
  /** Throws a Refusal when the provider would refuse the request. */
  read(call: IncomingCall, body: unknown): ReadRequest
  write(reply: Say, request: NeutralRequest): Answer
  writeFailure(failure: Fail, request: NeutralRequest): PlainAnswer
  writeFailureEvent(failure: Fail, request: NeutralRequest): string
  writeRefusal(refusal: Refusal): JsonObject
}

export interface ProviderOptions {
  /** The only key that is accepted; undefined: any key. */
  readonly apiKey?: string
  /** The only models that exist; undefined: any model. */
  readonly models?: readonly string[]
  /** The model takes text only: it refuses images and documents. */
  readonly textOnly?: boolean
  /** Chat only: reasoning that was issued with tool calls must come back with them, as DeepSeek demands. */
  readonly reasoningMustReturn?: boolean
  /** Chat only: reasoning must not come back, as older models of DeepSeek demand. */
  readonly refusesReasoning?: boolean
  /** Chat only: tools must be offered as long as the history has tool calls, as Bedrock and LiteLLM demand. */
  readonly historyNeedsTools?: boolean
}
