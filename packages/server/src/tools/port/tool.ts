// The tool port: what a tool implements, and the results of a call.
import type { PolicyRule, ToolEffect } from '@runwright/contract'
import type { z } from 'zod'

/**
 * The effect of a call decides what happens when the process dies during the call.
 *
 * - `read`: it changes nothing. The call is made again.
 * - `idempotent`: repeating it with the same idempotency key has no further effect. The call is made again.
 * - `once`: it must not be repeated. The run waits with `tool_outcome_unknown` until a person decides. It also
 *   does if the call fails after something was sent, unless the error says that it had no effect.
 */
export type { PolicyRule, ToolEffect }

export interface ToolCallContext {
  /** Aborts when the run is cancelled, reaches a limit or loses its lease, and when the tool's time is up. */
  readonly signal: AbortSignal
  /** The customer that owns the run. */
  readonly customerId: string
  /** The labels of the run, null if the client set none. */
  readonly workspaceId: string | null
  readonly subjectId: string | null
  /** The run's UUID, without the prefix it has on the wire. */
  readonly runId: string
  /** `call_…`, as in the run's events. */
  readonly toolCallId: string
  /**
   * Unique for the call of a step or turn, and the same however often it is made: in another attempt of the step, after
   * a crash, a retry or a resume. Pass it on to other services so that they can recognize the repetition.
   */
  readonly idempotencyKey: string
  /**
   * Looks whether this process may still make the call. It is called right before anything leaves the process, with no
   * `await` in between, again for each connection and each redirect. Throws `NotSent` if another worker may have the
   * run by now; then nothing must be sent. Once it has returned, the call counts as made.
   */
  readonly beforeSend: () => void
  /**
   * The W3C trace context of the call, if the service writes traces. Send it to other services as the header
   * `traceparent`.
   */
  readonly traceparent?: string
  /** The run has read text that third parties can write, such as a web page or a note from memory. */
  readonly hasReadUntrusted?: boolean
  /** The input contains sensitive values of the run. */
  readonly carriesSecrets?: boolean
}

/**
 * What a call touches; an omitted field is false. A run that does all three could leak private data because untrusted
 * text told it to. Policy therefore asks a person before the call that would complete the three.
 */
export interface Exposure {
  /** Returns data that is not public, such as a customer's notes. */
  readonly readsPrivate?: boolean
  /** Returns text that third parties can write, such as a web page. */
  readonly takesUntrusted?: boolean
  /** Can pass data to third parties, even if only in a URL. */
  readonly sendsOut?: boolean
}

/**
 * A tool that models can call and plans can name.
 *
 * One object serves all runs of the process, with any number of calls at the same time, so it must not keep state
 * of a call outside `run`. For each call, `invokeTool` and the engine use it in this order:
 *
 * 1. `policy` and `exposureOf` decide whether the call is allowed, needs approval or is denied.
 * 2. `input` checks the arguments, and `effectOf` says what the call will do. This is journaled before the call starts.
 * 3. `input` checks the arguments again, and `run` makes the call.
 *
 * If the arguments do not match `input`, the call fails without `effectOf` or `run`. A call that is repeated after a
 * crash goes straight to step 3.
 */
export interface Tool<Input = unknown> {
  /**
   * Unique among all tools; 1 to 64 of `A-Z a-z 0-9 _ -`. A tool of an MCP server is `server.tool`, where the part
   * after the first dot has 1 to 128 of `A-Z a-z 0-9 _ . -`.
   */
  readonly name: string
  /** Tells models what the tool does and when to use it. */
  readonly description: string
  /**
   * Checks the arguments, which are any JSON value, and may fill in defaults or transform them. Its output is what
   * `effectOf` and `run` get. May be asynchronous. The message of a custom check continues a sentence that begins with
   * the field's name, as in "must be an absolute URL", and must not repeat the value, which may be a secret.
   */
  readonly input: z.ZodType<Input>
  /**
   * JSON Schema (draft 7, type `object`) of the arguments, shown to models. Derived from `input` if omitted; then
   * `input` must be expressible as JSON Schema, or the service does not start.
   */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined
  /**
   * Models get it only in steps and from agents that name it: its schema costs tokens in every call, and few need it.
   * Such a tool can be called everywhere.
   */
  readonly isOfferedByName?: boolean | undefined
  /** `input` accepts more than `inputSchema` says: another server checks the arguments of a call. */
  readonly isCheckedElsewhere?: true
  /** The rule that applies unless the operator's policy has another one; `allow` if omitted. */
  readonly policy?: PolicyRule | undefined
  /**
   * What a call with this input touches; nothing if omitted. Called before each call, possibly several times, with
   * arguments that `input` has not checked. Must be fast and have no side effects. If it throws, policy assumes all
   * three.
   */
  exposureOf?(input: Input): Exposure
  /**
   * For a search: whether it found nothing. Such a call counts as having read nothing, whatever `exposureOf` says. Gets
   * what `run` returned, as JSON.
   */
  foundNothing?(output: unknown): boolean
  /**
   * The effect of a call with this input: for example, a GET is `read` and a POST is `once`. Called with checked input.
   * Must be fast and have no side effects. If it throws, the call counts as `once`.
   */
  effectOf(input: Input): ToolEffect
  /** What `effectOf` and `exposureOf` cannot say without the arguments of a call. A list of tools leaves it out. */
  readonly dependsOnInput?: readonly ('effect' | 'exposure')[]
  /**
   * How long `run` may take; then the outcome is `timeout`. The time limit of a step or run can end the call earlier.
   */
  readonly timeoutSeconds: number
  /**
   * For a tool that only lets time pass: how long. The engine then waits without holding a worker, `run` is not called,
   * and the output of the call is its input.
   */
  sleepMs?(input: Input): number
  /**
   * The tool calls `context.beforeSend` itself, because it does other work before anything leaves the process. If
   * omitted, it is called right before `run`.
   */
  readonly looksBeforeSending?: true
  /**
   * Makes the call.
   *
   * Returns the output, which the model sees and the journal keeps. It must be JSON of at most 1 MiB, 64 levels and
   * 100,000 keys and values. `undefined` becomes null, and `toJSON` is honored. Output that JSON cannot represent, such
   * as NaN, a function or a cycle, fails the call.
   *
   * Throws to fail the call; it never fails the run by itself.
   * - `ToolDenied`: the outcome is `policy_denied`.
   * - `ToolTimeout`: the outcome is `timeout`.
   * - Anything else: the outcome is `failed`. The model reads the error's message, so it should say what happened, why,
   *   and what to do. It is cut after 1,000 characters, and the run's secrets are masked in it.
   *
   * An error with `effectDone: false` says that the call had no effect, and so does `ToolDenied`. If a `once` call
   * fails in another way after something was sent, its outcome is unknown.
   *
   * When `context.signal` aborts, stop the work and throw. The call ends at that moment in any case, and whatever `run`
   * returns or throws later is ignored. `run` must not block the thread: only then can the call end.
   */
  run(input: Input, context: ToolCallContext): Promise<unknown>
}

/** A tool as a process knows it that calls none. */
export type ToolDescription<Input = unknown> = Omit<Tool<Input>, 'run'>

/** Thrown by a tool that refuses a call: the outcome is `policy_denied`. */
export class ToolDenied extends Error {
  override readonly name = 'ToolDenied'
  readonly reasonCode: string

  /** `reasonCode` is in lower_snake_case and has at most 64 characters. */
  constructor(reasonCode: string, message: string) {
    super(message)
    this.reasonCode = reasonCode
  }
}

/** Thrown by a tool that exceeds a time limit of its own, shorter than `timeoutSeconds`: the outcome is `timeout`. */
export class ToolTimeout extends Error {
  override readonly name = 'ToolTimeout'
}

/** Whether an error says that the call had no effect. */
export const saysNoEffect = (error: unknown): boolean =>
  error instanceof Error && 'effectDone' in error && error.effectDone === false

/** The error, with the statement that the call had no effect. */
export const withoutEffect = <Thrown extends Error>(error: Thrown): Thrown & { readonly effectDone: false } =>
  Object.assign(error, { effectDone: false as const })

/** Thrown by `beforeSend`: this process must not make the call any more. */
export class NotSent extends Error {
  override readonly name = 'NotSent'

  constructor() {
    super('The call was not made: another worker may have taken over the run.')
  }
}

/** Tools that can change while the service runs, such as those of MCP servers. */
export interface ToolSource {
  /** The tools that are known now. */
  tools(): readonly Tool[]
  /**
   * Finds a tool by name. Also returns a tool for a name that could exist but is not confirmed, because its server has
   * not connected yet; a call of it fails with a message that says so.
   */
  find(name: string): Tool | undefined
  /** Resolves when the list of tools is known as well as it can be now: each server was tried or has an older list. */
  whenListed(signal: AbortSignal): Promise<void>
  /** Resolves when the server of this tool was tried. */
  whenTried(name: string, signal: AbortSignal): Promise<void>
  /** Why a tool that may exist cannot be called now. */
  absence(name: string): ToolAbsence | undefined
}

export interface ToolAbsence {
  readonly message: string
  /**
   * - `away`: its server is not connected. It may come back.
   * - `refused`: models are not told about it; a call is denied.
   * - `unknown`: there is no such tool.
   */
  readonly kind: 'away' | 'refused' | 'unknown'
}

export type ToolResult =
  | { readonly outcome: 'succeeded'; readonly output: unknown }
  /** `noEffect`: nothing was sent, or the tool says that the call had no effect. */
  | { readonly outcome: 'failed' | 'timeout'; readonly message: string; readonly noEffect?: true }
  | { readonly outcome: 'policy_denied'; readonly reasonCode: string; readonly message: string }
  /** The caller's signal aborted the call. */
  | { readonly outcome: 'aborted' }
  /** `beforeSend` refused the call. Nothing has left the process. */
  | { readonly outcome: 'not_sent' }
