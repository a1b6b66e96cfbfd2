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

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** May depend on the input: a GET is `read`, a POST is `once`. */
  effectOf(input: Input): ToolEffect
  readonly timeoutSeconds: number
  /** Returns what the agent sees. Throws what went wrong in words the agent can use. */
  run(input: Input, context: ToolCallContext): Promise<unknown>
}

export type ToolResult =
  | { readonly outcome: 'succeeded'; readonly output: unknown }
  | { readonly outcome: 'failed' | 'timeout'; readonly message: string }
  | { readonly outcome: 'policy_denied'; readonly reasonCode: string; readonly message: string }
  /** The call's signal aborted it: whoever aborted knows why. */
  | { readonly outcome: 'aborted' }
