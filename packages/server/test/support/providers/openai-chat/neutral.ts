// A chat request in the words that scripts and tests use.
import { withFiles } from '../files.ts'
import { isObject, parsedOrText } from '../json.ts'
import type { JsonObject, NeutralMessage, NeutralParameters, NeutralTool } from '../script.ts'
import type { ReadRequest } from '../wire-format.ts'
import { filesOf } from './files.ts'
import type { ChatMessage, ChatRequest } from './request-shape.ts'

export function toNeutral(request: ChatRequest): ReadRequest {
  const { messages, response_format: format } = request
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer'
  return {
    model: request.model,
    stream: request.stream === true,
    system: messages.filter(isSystem).map(textOf).join('\n'),
    messages: messages.filter((message) => !isSystem(message)).reduce(addMessage, []),
    tools: (request.tools ?? []).map(toTool),
    outputSchema: format?.type === 'json_schema' ? format.json_schema.schema : undefined,
    parameters: toParameters(request),
    body: request as unknown as JsonObject,
  }
}

function textOf({ content }: ChatMessage): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function addMessage(told: NeutralMessage[], message: ChatMessage): NeutralMessage[] {
  if (message.role === 'tool') return addResult(told, message)
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const toolCalls = calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    args: parsedOrText(call.function.arguments),
  }))
  const from = message.role === 'assistant' ? 'assistant' : 'user'
  return [...told, { from, text: textOf(message), toolCalls, toolResults: [], ...withFiles(filesOf(message)) }]
}

function addResult(told: NeutralMessage[], message: Extract<ChatMessage, { role: 'tool' }>): NeutralMessage[] {
  const id = message.tool_call_id
  const name = told.flatMap(({ toolCalls }) => toolCalls).findLast((call) => call.id === id)?.name
  const result = { id, name, text: textOf(message), failed: undefined }
  const last = told.at(-1)
  if (last?.from !== 'tool') return [...told, { from: 'tool', text: '', toolCalls: [], toolResults: [result] }]
  return [...told.slice(0, -1), { ...last, toolResults: [...last.toolResults, result] }]
}

const toTool = ({ function: tool }: NonNullable<ChatRequest['tools']>[number]): NeutralTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: isObject(tool.parameters) ? tool.parameters : undefined,
  strict: tool.strict === true,
})

function toParameters(request: ChatRequest): NeutralParameters {
  const { stop, tool_choice: choice } = request
  return {
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    seed: request.seed ?? undefined,
    reasoningEffort: request.reasoning_effort ?? undefined,
    serviceTier: request.service_tier ?? undefined,
    toolChoice: typeof choice === 'object' ? choice.function.name : choice,
    parallelToolCalls: request.parallel_tool_calls,
  }
}
