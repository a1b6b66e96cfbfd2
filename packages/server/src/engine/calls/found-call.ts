// Checks a call of a tool that the model has searched for, before it starts. No provider has checked its arguments, and
// the model may have invented the name. It is told what to do instead.
import { showName } from '@runwright/contract'
import { toolSignature } from '../../agents/tool-search/tool-signature.ts'
import { findToolsName } from '../../agents/tool-search/wrapped-call.ts'
import { maxMessageLength } from '../../tools/port/invoke.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { PreparedCall } from './prepared-call.ts'
import { refusedInput } from './refused-input.ts'
import type { SeenResult } from './secret-calls.ts'

/** How the call ends without being made. Undefined: it can be made, or the model was offered the tool. */
export async function refuseFoundCall(
  context: ExecutionContext,
  prepared: PreparedCall,
): Promise<SeenResult | undefined> {
  const { call, tool, isAllowed } = prepared
  if (call.via === undefined) return undefined
  if (!tool) return failed(`There is no tool ${showName(call.name)}. Search for tools with ${findToolsName}.`)
  if (!isAllowed) return notAllowed(call.name)
  const problem = await refusedInput(context, prepared)
  return problem === undefined ? undefined : failed(withSchema(context, call.name, problem))
}

/** A tool that policy denies is not found. */
export const adviseSearch = <Denied extends { readonly message: string }>(
  { call }: PreparedCall,
  denied: Denied,
): Denied =>
  call.via === undefined
    ? denied
    : { ...denied, message: `${denied.message} ${findToolsName} finds those that are allowed.` }

const failed = (message: string): SeenResult => ({ outcome: 'failed', message, noEffect: true })

const notAllowed = (name: string): SeenResult => ({
  outcome: 'policy_denied',
  reasonCode: 'tool_not_allowed',
  message: `The tool ${showName(name)} is not allowed in this step. ${findToolsName} finds those that are.`,
})

/** The model may have found the tool long ago, or not at all. A long schema is told as a list of arguments. */
function withSchema({ catalogue }: ExecutionContext, name: string, problem: string): string {
  const offer = catalogue.offers([name])[0]
  if (!offer) return problem
  const whole = `${problem} The input schema of ${name}: ${JSON.stringify(offer.inputSchema)}`
  if (whole.length <= maxMessageLength) return whole
  return `${problem} The arguments: ${toolSignature(offer)}. ${findToolsName} shows the schema.`
}
