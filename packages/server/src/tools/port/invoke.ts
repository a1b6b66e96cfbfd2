// Calls a tool. Every outcome is a value: a tool cannot make its caller throw, wait too long or store something that is
// not JSON.
import { cutText, showName } from '@runwright/contract'
import { storableText } from '../../domain/text.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import { watchDeadline } from './call-deadline.ts'
import type { Tools } from './catalogue.ts'
import { checkInput } from './check-input.ts'
import { storableInParts } from './storable-output.ts'
import {
  NotSent,
  saysNoEffect,
  type Tool,
  type ToolCallContext,
  ToolDenied,
  type ToolResult,
  ToolTimeout,
} from './tool.ts'

export interface ToolInvocation {
  readonly catalogue: Pick<Tools, 'find'>
  readonly name: string
  readonly input: unknown
  /** Undefined: every tool. */
  readonly allowed: ReadonlySet<string> | undefined
  readonly context: ToolCallContext
  /** Can shorten the tool's own time limit, but not extend it. */
  readonly timeoutSeconds?: number | undefined
  /** Masks secrets in messages. Runs before a message is cut, because a part of a secret would not be found. */
  readonly scrub?: ((text: string) => string) | undefined
}

export const maxMessageLength = 1000

/**
 * If a tool ignores its abort signal, the call ends anyway, and what the tool returns or throws later is ignored. Only
 * a tool that blocks the thread can delay its caller.
 */
export async function invokeTool(invocation: ToolInvocation): Promise<ToolResult> {
  try {
    return sanitizeMessage(await attempt(invocation), invocation.scrub)
  } catch {
    return failed(`The call of ${showName(invocation.name)} failed because of an internal error.`)
  }
}

async function attempt(call: ToolInvocation): Promise<ToolResult> {
  const { name, allowed, context } = call
  const tool = call.catalogue.find(name)
  if (tool === undefined) return failed(`Unknown tool: ${showName(name)}.`)
  if (allowed !== undefined && !allowed.has(name)) return denyTool(name)
  const checked = await checkInput(tool, call.input)
  if (!checked.ok) return failed(checked.problem)
  const seconds = Math.min(tool.timeoutSeconds, call.timeoutSeconds ?? tool.timeoutSeconds)
  return runTool(tool, checked.input, { context, seconds })
}

const noEffect = { noEffect: true } as const

const failed = (message: string): ToolResult => ({ outcome: 'failed', message })

/** Two error classes name an outcome. */
function failureFrom(tool: Tool, error: unknown, hadNoEffect: boolean): ToolResult {
  if (error instanceof ToolDenied) {
    return { outcome: 'policy_denied', reasonCode: error.reasonCode, message: error.message }
  }
  const outcome = error instanceof ToolTimeout ? 'timeout' : 'failed'
  return { outcome, message: readMessage(tool, error), ...(hadNoEffect && noEffect) }
}

const denyTool = (name: string): ToolResult => ({
  outcome: 'policy_denied',
  reasonCode: 'tool_not_allowed',
  message: `The tool ${showName(name)} is not allowed in this step.`,
})

interface RunOptions {
  readonly context: ToolCallContext
  readonly seconds: number
}

async function runTool(tool: Tool, input: unknown, { context, seconds }: RunOptions): Promise<ToolResult> {
  if (context.signal.aborted) return { outcome: 'aborted' }
  const deadline = watchDeadline(context.signal, seconds)
  const look = new Look(context, deadline.signal)
  try {
    const run = startTool(tool, input, { ...context, signal: deadline.signal, beforeSend: look.beforeSend })
    const ending = await Promise.race([run, deadline.passed])
    if (ending === 'timeout') {
      const message = `The tool ${showName(tool.name)} did not finish within ${seconds} seconds.`
      return { outcome: 'timeout', message, ...(!look.wasSent && noEffect) }
    }
    return ending === 'aborted' ? { outcome: 'aborted' } : await outputResult(tool, ending.output)
  } catch (error) {
    if (look.wasRefused && !look.wasSent) return { outcome: 'not_sent' }
    return failureFrom(tool, error, !look.wasSent || saysNoEffect(error))
  } finally {
    deadline.release()
  }
}

/** The looks of one call before something leaves the process, and what came of them. */
class Look {
  readonly #context: ToolCallContext
  readonly #signal: AbortSignal
  wasSent = false
  wasRefused = false

  constructor(context: ToolCallContext, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  readonly beforeSend = (): void => {
    try {
      // A call that has ended must not send anything, either.
      if (this.#signal.aborted) throw new NotSent()
      this.#context.beforeSend()
    } catch (error) {
      this.wasRefused = true
      throw error
    }
    this.wasSent = true
  }
}

/** Async, so that a synchronous throw becomes a rejection. Nothing is awaited between the look and the tool. */
async function startTool(tool: Tool, input: unknown, context: ToolCallContext): Promise<{ output: unknown }> {
  if (!tool.looksBeforeSending) context.beforeSend()
  return { output: await tool.run(input, context) }
}

async function outputResult(tool: Tool, output: unknown): Promise<ToolResult> {
  // The tool may have parsed a large text in this turn.
  await yieldToEventLoop()
  const storable = await runSliced(storableInParts(output))
  if (storable.ok) return { outcome: 'succeeded', output: storable.value }
  return failed(`The tool ${showName(tool.name)} failed: ${storable.problem}.`)
}

function readMessage(tool: Tool, error: unknown): string {
  const message = error instanceof Error ? error.message : error
  if (typeof message === 'string' && message !== '') return message
  return `The tool ${showName(tool.name)} failed without an error message.`
}

function sanitizeMessage(result: ToolResult, scrub = (text: string) => text): ToolResult {
  if (!('message' in result)) return result
  const message = scrub(result.message)
  const kept = cutText(message, maxMessageLength)
  return { ...result, message: storableText(kept.length < message.length ? `${kept}…` : kept) }
}
