// A Responses request in the words that scripts and tests use.
import { withFiles } from '../files.ts'
import { parsedOrText } from '../json.ts'
import type { JsonObject, NeutralMessage, NeutralParameters } from '../script.ts'
import type { ReadRequest } from '../wire-format.ts'
import { filesOf } from './files.ts'
import { type Item, isCall, isMessage, isOutput, isReasoning, type ResponsesRequest } from './request-shape.ts'

export function toNeutral(request: ResponsesRequest, items: readonly Item[]): ReadRequest {
  const format = request.text?.format
  const isSystem = (item: Item) => isMessage(item) && (item.role === 'system' || item.role === 'developer')
  const systems = [request.instructions ?? '', ...items.filter(isSystem).map(textOf)].filter((text) => text !== '')
  return {
    model: request.model,
    stream: request.stream === true,
    system: systems.join('\n'),
    messages: items.filter((item) => !isSystem(item)).reduce(addItem, []),
    tools: (request.tools ?? []).map(({ name, description, parameters, strict }) => ({
      name,
      description: description ?? undefined,
      inputSchema: parameters ?? undefined,
      strict: strict === true,
    })),
    outputSchema: format?.type === 'json_schema' ? format.schema : undefined,
    parameters: toParameters(request),
    body: request as unknown as JsonObject,
  }
}

function textOf(item: Item): string {
  const content = isMessage(item) ? item.content : isOutput(item) ? item.output : ''
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part ? part.text : '')).join('')
}

/** A message and calls in a row are one turn of the assistant, outputs in a row one of the tools. */
function addItem(told: NeutralMessage[], item: Item): NeutralMessage[] {
  if (isReasoning(item)) return told
  const from = isOutput(item) ? 'tool' : isMessage(item) && item.role !== 'assistant' ? 'user' : 'assistant'
  const added: NeutralMessage = {
    from,
    text: isOutput(item) ? '' : textOf(item),
    toolCalls: isCall(item) ? [{ id: item.call_id, name: item.name, args: parsedOrText(item.arguments) }] : [],
    toolResults: isOutput(item) ? [toResult(item.call_id, textOf(item), told)] : [],
    ...withFiles(filesOf(item)),
  }
  const last = told.at(-1)
  if (last === undefined || last.from !== from || from === 'user') return [...told, added]
  const merged: NeutralMessage = {
    from,
    text: last.text + added.text,
    toolCalls: [...last.toolCalls, ...added.toolCalls],
    toolResults: [...last.toolResults, ...added.toolResults],
  }
  return [...told.slice(0, -1), merged]
}

function toResult(id: string, text: string, told: readonly NeutralMessage[]) {
  const name = told.flatMap(({ toolCalls }) => toolCalls).find((call) => call.id === id)?.name
  return { id, name, text, failed: undefined }
}

function toParameters(request: ResponsesRequest): NeutralParameters {
  const { tool_choice: choice } = request
  return {
    maxOutputTokens: request.max_output_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    reasoningEffort: request.reasoning?.effort ?? undefined,
    serviceTier: request.service_tier ?? undefined,
    toolChoice: typeof choice === 'object' ? choice.name : choice,
    parallelToolCalls: request.parallel_tool_calls ?? undefined,
  }
}
