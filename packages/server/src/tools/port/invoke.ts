// Calls a tool. Whatever happens is a value: a tool cannot make its caller throw, wait too long or store what is no JSON.
import { cutText, showName, storableText } from '../../domain/text.ts'
import { watchDeadline } from './call-deadline.ts'
import type { Tools } from './catalogue.ts'
import { checkInput } from './check-input.ts'
import { makeStorable } from './storable-output.ts'
import { type Tool, type ToolCallContext, ToolDenied, type ToolResult, ToolTimeout } from './tool.ts'

export interface ToolInvocation {
  readonly catalogue: Pick<Tools, 'find'>
  readonly name: string
  readonly input: unknown
  /** Undefined: every tool there is. */
  readonly allowed: ReadonlySet<string> | undefined
  readonly context: ToolCallContext
  /** Shortens the tool's own time, never lengthens it. */
  readonly timeoutSeconds?: number | undefined
  /** Hides secrets in messages. It must see them before they are cut: half a secret would no longer be found. */
  readonly scrub?: ((text: string) => string) | undefined
}

export const maxMessageLength = 1000

/**
 * A tool that ignores its abort is left behind: the call ends all the same, and what the tool says later is not heard.
 * Only a tool that blocks the thread can hold its caller up.
 */
export async function invokeTool(invocation: ToolInvocation): Promise<ToolResult> {
  try {
    return finishMessage(await attempt(invocation), invocation.scrub)
  } catch {
    return failed(`The call of ${showName(invocation.name)} broke down.`)
  }
}

async function attempt(call: ToolInvocation): Promise<ToolResult> {
  const { name, allowed, context } = call
  const tool = call.catalogue.find(name)
  if (tool === undefined) return failed(`There is no tool named ${showName(name)}.`)
  if (allowed !== undefined && !allowed.has(name)) return denyTool(name)
  const checked = await checkInput(tool, call.input)
  if (!checked.ok) return failed(checked.problem)
  const seconds = Math.min(tool.timeoutSeconds, call.timeoutSeconds ?? tool.timeoutSeconds)
  return runTool(tool, checked.input, { context, seconds })
}

const failed = (message: string): ToolResult => ({ outcome: 'failed', message })

/** What a tool says of its failure by the kind of its error. */
function toldBy(error: unknown): ToolResult | undefined {
  if (error instanceof ToolTimeout) return { outcome: 'timeout', message: error.message }
  if (!(error instanceof ToolDenied)) return undefined
  return { outcome: 'policy_denied', reasonCode: error.reasonCode, message: error.message }
}

const denyTool = (name: string): ToolResult => ({
  outcome: 'policy_denied',
  reasonCode: 'tool_not_allowed',
  message: `The tool ${showName(name)} is not allowed here.`,
})

interface Conditions {
  readonly context: ToolCallContext
  readonly seconds: number
}

async function runTool(tool: Tool, input: unknown, { context, seconds }: Conditions): Promise<ToolResult> {
  if (context.signal.aborted) return { outcome: 'aborted' }
  const deadline = watchDeadline(context.signal, seconds)
  try {
    const run = startTool(tool, input, { ...context, signal: deadline.signal })
    const ending = await Promise.race([run, deadline.passed])
    if (ending === 'timeout') {
      return { outcome: 'timeout', message: `The tool ${showName(tool.name)} did not end within ${seconds} seconds.` }
    }
    return ending === 'aborted' ? { outcome: 'aborted' } : keepOutput(tool, ending.output)
  } catch (error) {
    return toldBy(error) ?? failed(readMessage(tool, error))
  } finally {
    deadline.release()
  }
}

/** Async, so that a tool that throws at once is no different. */
const startTool = async (tool: Tool, input: unknown, context: ToolCallContext): Promise<{ output: unknown }> => ({
  output: await tool.run(input, context),
})

function keepOutput(tool: Tool, output: unknown): ToolResult {
  const storable = makeStorable(output)
  if (storable.ok) return { outcome: 'succeeded', output: storable.value }
  return failed(`The tool ${showName(tool.name)} failed: ${storable.problem}.`)
}

function readMessage(tool: Tool, error: unknown): string {
  const message = error instanceof Error ? error.message : error
  if (typeof message === 'string' && message !== '') return message
  return `The tool ${showName(tool.name)} failed without saying why.`
}

function finishMessage(result: ToolResult, scrub = (text: string) => text): ToolResult {
  if (!('message' in result)) return result
  const message = scrub(result.message)
  const kept = cutText(message, maxMessageLength)
  return { ...result, message: storableText(kept.length < message.length ? `${kept}…` : kept) }
}
