// The tool port. A tool's failure is a value; what it does to the world decides what happens after a crash.
import type { z } from 'zod'

/** `read` and `idempotent` calls may be made again after a crash; a `once` call never without asking someone. */
export type ToolEffect = 'read' | 'idempotent' | 'once'

export interface ToolCallContext {
  readonly signal: AbortSignal
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runId: string
  readonly toolCallId: string
  /** The same for every try of one call: for `idempotent` tools that talk to others. */
  readonly idempotencyKey: string
}

/** What policy says of a call: make it, ask a person first, or refuse it. */
export type PolicyRule = 'allow' | 'ask' | 'deny'

/** What a call touches. One run that does all three could carry private data out on the word of a stranger's text. */
export interface Exposure {
  readonly readsPrivate?: boolean
  readonly takesUntrusted?: boolean
  readonly sendsOut?: boolean
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** JSON Schema to tell models, for a tool that brings its own; left out: made from `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined
  /** What holds unless the operator says otherwise; left out: `allow`. */
  readonly policy?: PolicyRule | undefined
  /** May depend on the input; left out: the call touches nothing of the kind. */
  exposureOf?(input: Input): Exposure
  /** May depend on the input: a GET is `read`, a POST is `once`. */
  effectOf(input: Input): ToolEffect
  readonly timeoutSeconds: number
  /**
   * For a tool that only lets time pass: how long. The engine then waits without holding a worker, and the result of the
   * call is its input.
   */
  sleepMs?(input: Input): number
  /** Returns what the agent sees. Throws what went wrong in words the agent can use. */
  run(input: Input, context: ToolCallContext): Promise<unknown>
}

/** Thrown by a tool that refuses a call by policy: `policy_denied`, with a reason code of lower_snake words. */
export class ToolDenied extends Error {
  override readonly name = 'ToolDenied'
  readonly reasonCode: string

  constructor(reasonCode: string, message: string) {
    super(message)
    this.reasonCode = reasonCode
  }
}

/** Thrown by a tool that ran out of a time of its own: `timeout`. */
export class ToolTimeout extends Error {
  override readonly name = 'ToolTimeout'
}

/** Tools that come and go, such as those of a server elsewhere. */
export interface ToolSource {
  /** Those there are now. */
  tools(): readonly Tool[]
  /** One by its name; also one that may be there, whose source is away and was never asked: its calls will say so. */
  find(name: string): Tool | undefined
}

export type ToolResult =
  | { readonly outcome: 'succeeded'; readonly output: unknown }
  | { readonly outcome: 'failed' | 'timeout'; readonly message: string }
  | { readonly outcome: 'policy_denied'; readonly reasonCode: string; readonly message: string }
  /** The call's signal aborted it: whoever aborted knows why. */
  | { readonly outcome: 'aborted' }
