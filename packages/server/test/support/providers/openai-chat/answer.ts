// A scripted reply as a chat completion, whole and as a stream of chunks.
import { issueId } from '../ids.ts'
import { argumentPieces, argumentsText, piecesOf, wholeText } from '../pieces.ts'
import type { Finish, JsonObject, NeutralRequest, Say, ScriptedCall } from '../script.ts'
import { content, frame, sseType } from '../sse.ts'
import { usageOf } from '../usage.ts'
import type { Answer, StreamEvent } from '../wire-format.ts'

export function writeAnswer(reply: Say, request: NeutralRequest): Answer {
  const toolCalls = (reply.toolCalls ?? []).map((call) => ({
    ...call,
    id: call.id === undefined ? issueId('call_') : call.id,
  }))
  const withIds: Say = { ...reply, toolCalls }
  const base = {
    id: issueId('chatcmpl-'),
    created: Math.floor(Date.now() / 1_000),
    model: request.model,
    service_tier: 'default',
    system_fingerprint: 'fp_mock',
    ...reply.extraFields,
  }
  return { json: completion(withIds, request, base), events: chunks(withIds, request, base), contentType: sseType }
}

const finishReason = ({ finish, toolCalls = [] }: Say): string => {
  const reasons: Record<Finish, string> = {
    stop: 'stop',
    tool_calls: 'tool_calls',
    length: 'length',
    content_filter: 'content_filter',
    // The refusal is said in the message; the reason does not tell it.
    refusal: 'stop',
  }
  return reasons[finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')]
}

const idOf = ({ id }: ScriptedCall): JsonObject => (id === null ? {} : { id })

function refusalOf(reply: Say): string | undefined {
  return reply.refusal ?? (reply.finish === 'refusal' ? "I'm sorry, I can't assist with that." : undefined)
}

function completion(reply: Say, request: NeutralRequest, base: JsonObject): JsonObject {
  const { toolCalls = [] } = reply
  const calls = toolCalls.map((call) => ({
    ...idOf(call),
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }))
  const message = {
    role: 'assistant',
    content: wholeText(reply) === '' && (calls.length > 0 || refusalOf(reply) !== undefined) ? null : wholeText(reply),
    refusal: refusalOf(reply) ?? null,
    annotations: [],
    ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(reply) }
  return { ...base, object: 'chat.completion', choices: [choice], ...usageField(reply, request) }
}

function usageField(reply: Say, request: NeutralRequest): JsonObject {
  const usage = usageOf(reply, request)
  if (usage === undefined) return {}
  if ('raw' in usage) return { usage: usage.raw }
  const { input, output, cached, reasoning } = usage
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  }
}

function chunks(reply: Say, request: NeutralRequest, base: JsonObject): StreamEvent[] {
  const asksUsage = (request.body.stream_options as JsonObject | null | undefined)?.include_usage === true
  const usage = asksUsage ? usageField(reply, request) : {}
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...('usage' in usage && { usage: null }),
  })
  const pieces = [...contentDeltas(reply)].map((delta) => content(chunk(delta)))
  return [
    frame(chunk({ role: 'assistant', content: '', refusal: null })),
    ...pieces,
    frame(chunk({}, finishReason(reply))),
    ...('usage' in usage ? [frame({ ...base, object: 'chat.completion.chunk', choices: [], ...usage })] : []),
    frame('[DONE]'),
  ]
}

function* contentDeltas(reply: Say): Generator<JsonObject> {
  for (const piece of piecesOf(reply.reasoning ?? '')) yield { reasoning_content: piece }
  for (const piece of piecesOf(reply.text ?? '')) yield { content: piece }
  for (const piece of piecesOf(refusalOf(reply) ?? '')) yield { refusal: piece }
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const opening = { index, ...idOf(call), type: 'function', function: { name: call.name, arguments: '' } }
    yield { tool_calls: [opening] }
    for (const piece of argumentPieces(call)) yield { tool_calls: [{ index, function: { arguments: piece } }] }
  }
}
