// A Messages request in the words that scripts and tests use.
import { withFiles } from '../files.ts'
import type { JsonObject, NeutralMessage, NeutralParameters } from '../script.ts'
import type { ReadRequest } from '../wire-format.ts'
import { filesOf } from './files.ts'
import { type AnthropicMessage, type BlockOf, blocksOf, type MessagesRequest } from './request-shape.ts'

export function toNeutral(request: MessagesRequest): ReadRequest {
  return {
    model: request.model,
    stream: request.stream === true,
    system: joinTexts(request.system ?? ''),
    messages: request.messages.flatMap((message) => toMessages(message, request.messages)),
    tools: (request.tools ?? []).map(({ name, description, input_schema, strict }) => ({
      name,
      description,
      inputSchema: input_schema,
      strict: strict === true,
    })),
    outputSchema: request.output_config?.format?.schema,
    parameters: toParameters(request),
    body: request as unknown as JsonObject,
  }
}

const joinTexts = (content: string | readonly { type: string; text?: unknown }[]): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('\n')

function toMessages(message: AnthropicMessage, all: readonly AnthropicMessage[]): NeutralMessage[] {
  const blocks = blocksOf(message)
  const text = joinTexts(blocks.filter(({ type }) => type === 'text'))
  const toolResults = blocks.filter((block) => block.type === 'tool_result').map((block) => toResult(block, all))
  const toolCalls = blocks
    .filter((block) => block.type === 'tool_use')
    .map(({ id, name, input }) => ({ id, name, args: input }))
  const results: NeutralMessage = { from: 'tool', text: '', toolCalls: [], toolResults }
  const words: NeutralMessage = { from: message.role, text, toolCalls, toolResults: [], ...withFiles(filesOf(message)) }
  if (toolResults.length === 0) return [words]
  return text === '' ? [results] : [results, words]
}

function toResult(block: BlockOf<'tool_result'>, all: readonly AnthropicMessage[]) {
  const uses = all.flatMap(blocksOf).filter((each) => each.type === 'tool_use')
  return {
    id: block.tool_use_id,
    name: uses.find(({ id }) => id === block.tool_use_id)?.name,
    text: joinTexts(block.content ?? ''),
    failed: block.is_error === true,
  }
}

function toParameters({ tool_choice: choice, ...request }: MessagesRequest): NeutralParameters {
  const words = { auto: 'auto', any: 'required', none: 'none' }
  const isParallel = choice && choice.type !== 'none' ? choice.disable_parallel_tool_use : undefined
  return {
    maxOutputTokens: request.max_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    stop: request.stop_sequences,
    reasoningEffort: request.output_config?.effort ?? undefined,
    serviceTier: request.service_tier,
    toolChoice: choice?.type === 'tool' ? choice.name : choice && words[choice.type],
    parallelToolCalls: isParallel === undefined ? undefined : !isParallel,
  }
}
