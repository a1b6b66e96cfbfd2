// A scripted reply as a message of Anthropic's, whole and as its stream of events.
import { issueId, issueSignature } from '../ids.ts'
import { isObject, parsedOrText } from '../json.ts'
import { argumentPieces, argumentsText, piecesOf, wholeText } from '../pieces.ts'
import type { Finish, JsonObject, NeutralRequest, Say, ScriptedCall } from '../script.ts'
import { content, frame, sseType } from '../sse.ts'
import { usageOf } from '../usage.ts'
import type { Answer, StreamEvent } from '../wire-format.ts'
import { type MessagesRequest, thinks } from './request-shape.ts'

interface WrittenBlock {
  readonly block: JsonObject
  /** The block as its start event has it. */
  readonly opening: JsonObject
  readonly deltas: readonly JsonObject[]
}

interface Written {
  readonly answer: Answer
  readonly thinking: { readonly signature: string; readonly thinking: string } | undefined
  readonly useIds: readonly string[]
}

export function writeAnswer(reply: Say, request: NeutralRequest): Written {
  const thinking = thinkingOf(reply, request.body as unknown as MessagesRequest)
  const uses = (reply.toolCalls ?? []).map(useBlock)
  const texts = piecesOf(reply.text ?? '').length > 0 ? [textBlock(reply)] : []
  const blocks = [...(thinking ? [thinking.written] : []), ...texts, ...uses]
  const base = { id: issueId('msg_'), type: 'message', role: 'assistant', model: request.model }
  const ending = { stop_reason: stopReason(reply), stop_sequence: null, ...stopDetails(reply) }
  const json = {
    ...base,
    content: blocks.map(({ block }) => block),
    ...ending,
    ...usageField(reply, request),
    ...reply.extraFields,
  }
  const start = {
    ...base,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...startUsage(reply, request),
    ...reply.extraFields,
  }
  const events = [
    named('message_start', { message: start }),
    named('ping', {}),
    ...blocks.flatMap(blockEvents),
    named('message_delta', { delta: ending, ...usageField(reply, request) }),
    named('message_stop', {}),
  ]
  const useIds = uses.flatMap(({ block }) => (typeof block.id === 'string' ? [block.id] : []))
  return { answer: { json, events, contentType: sseType }, thinking, useIds }
}

const named = (type: string, data: JsonObject): StreamEvent => frame({ type, ...data }, type)

function blockEvents({ opening, deltas }: WrittenBlock, index: number): StreamEvent[] {
  const delta = (data: JsonObject) => ({ type: 'content_block_delta', index, delta: data })
  return [
    named('content_block_start', { index, content_block: opening }),
    ...deltas.map((data) => {
      const isFrame = data.type === 'signature_delta'
      return (isFrame ? frame : content)(delta(data), 'content_block_delta')
    }),
    named('content_block_stop', { index }),
  ]
}

/** As the API does: thinking is written only where it was asked for. */
function thinkingOf({ reasoning, redacted }: Say, request: MessagesRequest) {
  if (reasoning === undefined || !thinks(request)) return undefined
  if (redacted) return redactedThinking()
  const isOmitted = request.thinking?.type !== 'disabled' && request.thinking?.display === 'omitted'
  const [signature, thinking] = [issueSignature(), isOmitted ? '' : reasoning]
  const written: WrittenBlock = {
    block: { type: 'thinking', thinking, signature },
    opening: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...piecesOf(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
  }
  return { signature, thinking, written }
}

/** It has no text; its data is what comes back. */
function redactedThinking() {
  const data = issueSignature()
  const block = { type: 'redacted_thinking', data }
  return { signature: data, thinking: '', written: { block, opening: block, deltas: [] } }
}

const textBlock = (reply: Say): WrittenBlock => ({
  block: { type: 'text', text: wholeText(reply) },
  opening: { type: 'text', text: '' },
  deltas: piecesOf(reply.text ?? '').map((text) => ({ type: 'text_delta', text })),
})

function useBlock(call: ScriptedCall): WrittenBlock {
  const id = call.id === undefined ? issueId('toolu_') : call.id
  const opening = { type: 'tool_use', ...(id !== null && { id }), name: call.name, input: {} }
  const parsed = parsedOrText(argumentsText(call))
  return {
    block: { ...opening, input: isObject(parsed) ? parsed : argumentsText(call) },
    opening,
    deltas: argumentPieces(call).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  }
}

function stopReason({ finish, refusal, toolCalls = [] }: Say): string {
  const reasons: Record<Finish, string> = {
    stop: 'end_turn',
    tool_calls: 'tool_use',
    length: 'max_tokens',
    content_filter: 'refusal',
    refusal: 'refusal',
  }
  const usual = toolCalls.length > 0 ? 'tool_calls' : 'stop'
  return reasons[finish ?? (refusal === undefined ? usual : 'refusal')]
}

const stopDetails = (reply: Say): JsonObject =>
  stopReason(reply) === 'refusal'
    ? { stop_details: { type: 'refusal', category: null, explanation: reply.refusal ?? null } }
    : {}

function usageField(reply: Say, request: NeutralRequest): JsonObject {
  const usage = usageOf(reply, request)
  if (usage === undefined) return {}
  if ('raw' in usage) return { usage: usage.raw }
  return {
    usage: {
      // Anthropic counts what came from the cache beside the input, not in it.
      input_tokens: usage.input - usage.cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usage.cached,
      output_tokens: usage.output,
      service_tier: 'standard',
    },
  }
}

function startUsage(reply: Say, request: NeutralRequest): JsonObject {
  const { usage } = usageField(reply, request)
  return isObject(usage) ? { usage: { ...usage, output_tokens: 1 } } : usage === undefined ? {} : { usage }
}
