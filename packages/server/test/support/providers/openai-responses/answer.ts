// A scripted reply as a response object, whole and as its stream of numbered events.
import { issueId } from '../ids.ts'
import type { JsonObject, NeutralRequest, Say } from '../script.ts'
import { content, frame, sseType } from '../sse.ts'
import { usageOf } from '../usage.ts'
import type { Answer, StreamEvent } from '../wire-format.ts'
import { type OutputEvent, type OutputItem, outputItems } from './output-items.ts'
import type { ResponsesRequest } from './request-shape.ts'

export function writeAnswer(reply: Say, request: NeutralRequest): Answer {
  const asked = request.body as unknown as ResponsesRequest
  const items = outputItems(reply, asked)
  const base = { ...responseBase(asked), ...reply.extraFields }
  const ending = { ...base, ...endOf(reply), output: items.map(({ item }) => item), ...usageField(reply, request) }
  const started = { ...base, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  const events: OutputEvent[] = [
    { type: 'response.created', data: { response: started }, isContent: false },
    { type: 'response.in_progress', data: { response: started }, isContent: false },
    ...items.flatMap(itemEvents),
    { type: `response.${ending.status}`, data: { response: ending }, isContent: false },
  ]
  return { json: ending, events: events.map(numbered), contentType: sseType }
}

function itemEvents({ item, opening, events }: OutputItem, index: number): OutputEvent[] {
  const at = { output_index: index }
  return [
    { type: 'response.output_item.added', data: { ...at, item: opening }, isContent: false },
    ...events.map((event) => ({ ...event, data: { ...at, ...event.data } })),
    { type: 'response.output_item.done', data: { ...at, item }, isContent: false },
  ]
}

const numbered = ({ type, data, isContent }: OutputEvent, number: number): StreamEvent =>
  (isContent ? content : frame)({ type, sequence_number: number, ...data }, type)

function endOf({ finish }: Say) {
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : undefined
  return { status: reason ? 'incomplete' : 'completed', incomplete_details: reason ? { reason } : null }
}

function responseBase(asked: ResponsesRequest): JsonObject {
  return {
    id: issueId('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    background: false,
    error: null,
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    metadata: asked.metadata ?? {},
    model: asked.model,
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    previous_response_id: asked.previous_response_id ?? null,
    reasoning: { effort: asked.reasoning?.effort ?? null, summary: asked.reasoning?.summary ?? null },
    service_tier: 'default',
    store: asked.store ?? true,
    temperature: asked.temperature ?? 1,
    text: asked.text ?? { format: { type: 'text' } },
    tool_choice: asked.tool_choice ?? 'auto',
    tools: asked.tools ?? [],
    top_p: asked.top_p ?? 1,
    truncation: asked.truncation ?? 'disabled',
  }
}

function usageField(reply: Say, request: NeutralRequest): JsonObject {
  const usage = usageOf(reply, request)
  if (usage === undefined) return {}
  if ('raw' in usage) return { usage: usage.raw }
  return {
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  }
}
