// A call of a tool that the model has searched for. The model writes it as `call_tool({ name, input })`; the run knows
// only the call of the tool itself, with a mark. So policy, approvals, events and the journal are about that tool, and
// the model is shown what it wrote.
import type { runTools } from '@runwright/contract'
import { parseModelJson } from '../../domain/json/model-json.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import type { AskedToolCall, ModelOutcome } from '../../models/port/model.ts'
import { plainName } from '../../models/provider/request/tool-names.ts'
import type { Tools } from '../../tools/port/catalogue.ts'

export const findToolsName = 'find_tools' satisfies (typeof runTools)[number]
export const callToolName = 'call_tool' satisfies (typeof runTools)[number]

type KnownTools = Pick<Tools, 'find' | 'offers'>

/** The outcome, with the calls that the model means. */
export function unwrapCalls(outcome: ModelOutcome, tools: KnownTools): ModelOutcome {
  if (outcome.kind !== 'reply') return outcome
  const toolCalls = outcome.toolCalls.map((call) => withRealName(unwrap(call), tools))
  return toolCalls.some((call, index) => call !== outcome.toolCalls[index]) ? { ...outcome, toolCalls } : outcome
}

/**
 * A model may call a tool that it was not offered in this request: one that it found, or that another step used. It
 * writes the name as providers do, such as `office__hire` for `office.hire`.
 */
function withRealName(call: AskedToolCall, tools: KnownTools): AskedToolCall {
  if (tools.find(call.name)) return call
  const [meant, ...others] = tools.offers('all').filter(({ name }) => plainName(name) === call.name)
  return meant && others.length === 0 ? { ...call, name: meant.name } : call
}

/** A call that names no tool, or `call_tool` itself, stays as it is: the tool says what is wrong with it. */
function unwrap(call: AskedToolCall): AskedToolCall {
  const { id, name, input } = call
  if (name !== callToolName || !isObject(input)) return call
  const { name: tool } = input
  if (typeof tool !== 'string' || tool === callToolName) return call
  // The word of the wire formats, which models know better.
  const given = input.input ?? input.arguments ?? {}
  return { id, name: tool, input: readInput(given), via: callToolName }
}

/** Some models write the inner arguments as JSON in a text. */
function readInput(given: unknown): unknown {
  const parsed = typeof given === 'string' ? parseModelJson(given) : undefined
  return parsed && isObject(parsed.value) ? parsed.value : given
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The call as its model wrote it. */
export const wrapCall = ({ name, input, via }: Pick<JournaledCall, 'name' | 'input' | 'via'>) =>
  via === undefined ? { name, input } : { name: via, input: { name, input } }
