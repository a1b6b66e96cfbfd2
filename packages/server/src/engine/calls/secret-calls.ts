// Tool calls of runs with secrets. The journal and the events hold placeholders. Only the tool gets the values, and its
// result is scrubbed before it is used anywhere else.
import type { JournaledCall } from '../../domain/run/journal.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { summarize } from '../../domain/tool-summary/summarize.ts'
import { invokeTool, type ToolInvocation } from '../../tools/port/invoke.ts'
import type { ToolResult } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>

/** A call as it is stored. The name of an unknown tool is free text from the model, so it is scrubbed too. */
export function hideCall({ run: { secrets }, catalogue }: ExecutionContext, { name, input }: Call): Call {
  if (!secrets) return { name, input }
  return { name: catalogue.find(name) ? name : secrets.scrubText(name), input: secrets.hide(input) }
}

/** These tools store their input in the database, where no secret may be, so they get the placeholders. */
const keepsInput: ReadonlySet<string> = new Set(['memory_save', 'memory_search'])

/** The input as the tool gets it. This is the only place where placeholders become values. */
export function fillCall(secrets: SecretKeeper | undefined, { name, input }: Call): unknown {
  if (!secrets) return input
  return keepsInput.has(name) ? secrets.show(input) : secrets.fill(input)
}

/** Whether the call passes a secret value to the tool. */
export const carriesSecrets = (secrets: SecretKeeper | undefined, { input }: Call): boolean =>
  secrets !== undefined && secrets.fill(input) !== secrets.show(input)

/** `before` is the result with its secrets. It is used only to measure the size and is never shown. */
export type SeenResult = ToolResult & { readonly before?: unknown }

interface Invocation extends Omit<ToolInvocation, 'scrub'> {
  readonly secrets: SecretKeeper | undefined
}

export async function invokeWithSecrets({ secrets, ...invocation }: Invocation): Promise<SeenResult> {
  if (!secrets) return invokeTool(invocation)
  let said: string | undefined
  const scrub = (message: string): string => {
    const scrubbed = secrets.scrubText(message)
    if (scrubbed !== message) said = message
    return scrubbed
  }
  const result = await invokeTool({ ...invocation, input: fillCall(secrets, invocation), scrub })
  if (result.outcome === 'succeeded') return scrubOutput(secrets, result)
  return said === undefined ? result : { ...result, before: said }
}

function scrubOutput(secrets: SecretKeeper, result: Extract<ToolResult, { outcome: 'succeeded' }>): SeenResult {
  const output = secrets.scrub(result.output)
  return output === result.output ? result : { ...result, output, before: result.output }
}

export function summarizeCall(secrets: SecretKeeper | undefined, { input }: Call, result: SeenResult) {
  const shown = outputOf(result)
  const before = 'before' in result ? result.before : shown
  const outputSummary = summarize(shown, before)
  if (!secrets) return { inputSummary: summarize(input), outputSummary, redacted: false }
  const [shownInput, filledInput] = [secrets.show(input), secrets.fill(input)]
  return {
    inputSummary: summarize(shownInput, filledInput),
    outputSummary,
    redacted: before !== shown || shownInput !== filledInput,
  }
}

function outputOf(result: SeenResult): unknown {
  if (result.outcome === 'succeeded') return result.output
  return 'message' in result ? result.message : 'The call was aborted.'
}
