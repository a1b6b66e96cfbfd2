// Tool calls of runs with secrets. The journal and the events hold placeholders. Only the tool gets the values, and its
// result is scrubbed before it is used anywhere else.
import { finish } from '../../domain/finish.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import { mask } from '../../domain/secrets/mask.ts'
import { maxFilledLength, type SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { summarizeInParts } from '../../domain/tool-summary/summarize.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import { invokeTool, type ToolInvocation } from '../../tools/port/invoke.ts'
import type { ToolResult } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import {
  computes,
  quotesInput,
  receiverCheck,
  type SecretCall,
  secretsNotAllowed,
  storesInput,
} from './secret-receivers.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>

/** A call as it is stored. The name of an unknown tool is free text from the model, so it is scrubbed too. */
export function* hideCall(
  { run: { secrets }, catalogue }: ExecutionContext,
  { name, input }: Call,
): Generator<void, Call> {
  if (!secrets) return { name, input }
  return { name: catalogue.find(name) ? name : yield* secrets.scrub(name), input: yield* secrets.hide(input) }
}

/** Shows the input of calls, which is kept: what follows needs it at once, and several times. */
export function* showInputs(secrets: SecretKeeper, calls: readonly Call[]): Generator<void, void> {
  for (const { input } of calls) yield* secrets.show(input)
}

interface FilledCall {
  /** As the tool gets it. */
  readonly input: unknown
  /** Whether the call passes a secret value to the tool. */
  readonly carriesSecrets: boolean
}

/** This is the only place where placeholders become values. */
export function fillCall(secrets: SecretKeeper | undefined, call: SecretCall): FilledCall {
  if (!secrets) return { input: call.input, carriesSecrets: false }
  if (storesInput(call)) return { input: finish(secrets.show(call.input)), carriesSecrets: false }
  const input = secrets.fill(call.input, computes(call) ? receiverCheck(secrets, call) : undefined)
  return { input, carriesSecrets: input !== call.input }
}

/** `before` is the result with its secrets. It is used only to measure the size and is never shown. */
export type SeenResult = ToolResult & { readonly before?: unknown; readonly note?: string }

interface Invocation extends FilledCall, Pick<ToolInvocation, 'catalogue' | 'allowed' | 'context'> {
  readonly secrets: SecretKeeper | undefined
  /** With placeholders. */
  readonly call: SecretCall
}

export async function invokeWithSecrets({ secrets, call, carriesSecrets, ...rest }: Invocation): Promise<SeenResult> {
  const invocation = { ...rest, name: call.name }
  if (!secrets) return invokeTool(invocation)
  let said: string | undefined
  const scrub = (message: string): string => {
    const scrubbed = carriesSecrets && quotesInput(call) ? withoutDetails(call) : secrets.scrubText(message)
    if (scrubbed !== message) said = message
    return scrubbed
  }
  const context = { ...rest.context, carriesSecrets }
  if (!storesInput(call) && secrets.isOverfilled(call.input)) return tooLarge(call)
  const result = await invokeTool({ ...invocation, context, scrub })
  await yieldToEventLoop()
  const hidden = await runSliced(hideResult(secrets, result, { said, maskAll: carriesSecrets && computes(call) }))
  return { ...hidden, ...noteOf(secrets, call) }
}

const withoutDetails = ({ name }: SecretCall): string =>
  `The call of ${name} did not succeed. Details are not shown, because the call received sensitive values.`

const tooLarge = ({ name }: SecretCall): SeenResult => ({
  outcome: 'failed',
  message: `${name} was not called: the sensitive values in its input are too large, together more than ${maxFilledLength.toLocaleString('en-US')} characters.`,
  noEffect: true,
})

interface HideOptions {
  /** The message before it was scrubbed, if that changed it. */
  readonly said: string | undefined
  readonly maskAll: boolean
}

function* hideResult(
  secrets: SecretKeeper,
  result: ToolResult,
  { said, maskAll }: HideOptions,
): Generator<void, SeenResult> {
  if (result.outcome !== 'succeeded') return said === undefined ? result : { ...result, before: said }
  const output = maskAll ? mask : yield* secrets.scrub(result.output)
  return output === result.output ? result : { ...result, output, before: result.output }
}

/** Tells the model that a computing tool got a placeholder as it stands, and not its value. */
function noteOf(secrets: SecretKeeper, call: SecretCall): { readonly note?: string } {
  const withheld = computes(call) ? secretsNotAllowed(secrets, call) : []
  if (withheld.length === 0) return {}
  const names = withheld.map(({ source }) => source).join(', ')
  return {
    note: `${call.name} got the placeholder as text instead of the value, because the tag does not allow this tool: ${names}.`,
  }
}

/** Yields where the work can be interrupted. */
export function* summarizeCall(secrets: SecretKeeper | undefined, { input }: Call, result: SeenResult) {
  const shown = outputOf(result)
  const before = 'before' in result ? result.before : shown
  const outputSummary = yield* summarizeInParts(shown, before)
  yield
  if (!secrets) return { inputSummary: yield* summarizeInParts(input), outputSummary, redacted: false }
  const shownInput = yield* secrets.show(input)
  yield
  const filledInput = secrets.fill(input)
  yield
  return {
    inputSummary: yield* summarizeInParts(shownInput, filledInput),
    outputSummary,
    redacted: before !== shown || shownInput !== filledInput,
  }
}

function outputOf(result: SeenResult): unknown {
  if (result.outcome === 'succeeded') return result.output
  return 'message' in result ? result.message : 'The call was aborted.'
}
