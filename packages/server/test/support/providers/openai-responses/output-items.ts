// The output items of a scripted reply, each with the events that stream it.
import { issueId, issueSignature } from '../ids.ts'
import { argumentPieces, argumentsText, piecesOf, wholeText } from '../pieces.ts'
import type { JsonObject, Say, ScriptedCall } from '../script.ts'
import type { ResponsesRequest } from './request-shape.ts'

export interface OutputEvent {
  readonly type: string
  readonly data: JsonObject
  readonly isContent: boolean
}

export interface OutputItem {
  readonly item: JsonObject
  /** The item as its `added` event has it. */
  readonly opening: JsonObject
  readonly events: readonly OutputEvent[]
}

const frame = (type: string, data: JsonObject): OutputEvent => ({ type, data, isContent: false })
const content = (type: string, data: JsonObject): OutputEvent => ({ type, data, isContent: true })

export function outputItems(reply: Say, request: ResponsesRequest): OutputItem[] {
  const refusal = reply.refusal ?? (reply.finish === 'refusal' ? "I'm sorry, I can't assist with that." : undefined)
  return [
    ...(reply.reasoning === undefined ? [] : [reasoningItem(reply.reasoning, request)]),
    ...(piecesOf(reply.text ?? '').length === 0 ? [] : [textItem(reply)]),
    ...(refusal === undefined ? [] : [refusalItem(refusal)]),
    ...(reply.toolCalls ?? []).map(callItem),
  ]
}

/** As the API does: a summary and the encrypted content come only where they were asked for. */
function reasoningItem(reasoning: string, request: ResponsesRequest): OutputItem {
  const id = issueId('rs_')
  const isEncrypted = request.include?.includes('reasoning.encrypted_content')
  const secret = isEncrypted ? { encrypted_content: issueSignature() } : {}
  const opening = { id, type: 'reasoning', summary: [], ...secret }
  if (request.reasoning?.summary == null) return { item: opening, opening, events: [] }
  const part = { type: 'summary_text', text: reasoning }
  const at = { item_id: id, summary_index: 0 }
  const events = [
    frame('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
    ...piecesOf(reasoning).map((delta) => content('response.reasoning_summary_text.delta', { ...at, delta })),
    frame('response.reasoning_summary_text.done', { ...at, text: reasoning }),
    frame('response.reasoning_summary_part.done', { ...at, part }),
  ]
  return { item: { ...opening, summary: [part] }, opening, events }
}

function messageItem(
  part: JsonObject,
  emptyPart: JsonObject,
  status: string,
  inner: (at: JsonObject) => OutputEvent[],
) {
  const opening = { id: issueId('msg_'), type: 'message', role: 'assistant', status: 'in_progress', content: [] }
  const at = { item_id: opening.id, content_index: 0 }
  const events = [
    frame('response.content_part.added', { ...at, part: emptyPart }),
    ...inner(at),
    frame('response.content_part.done', { ...at, part }),
  ]
  return { item: { ...opening, status, content: [part] }, opening, events }
}

function textItem(reply: Say): OutputItem {
  const text = wholeText(reply)
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  const status = reply.finish === 'length' || reply.finish === 'content_filter' ? 'incomplete' : 'completed'
  return messageItem(part, { ...part, text: '' }, status, (at) => [
    ...piecesOf(reply.text ?? '').map((delta) => content('response.output_text.delta', { ...at, delta, logprobs: [] })),
    frame('response.output_text.done', { ...at, text, logprobs: [] }),
  ])
}

function refusalItem(refusal: string): OutputItem {
  const part = { type: 'refusal', refusal }
  return messageItem(part, { ...part, refusal: '' }, 'completed', (at) => [
    ...piecesOf(refusal).map((delta) => content('response.refusal.delta', { ...at, delta })),
    frame('response.refusal.done', { ...at, refusal }),
  ])
}

function callItem(call: ScriptedCall): OutputItem {
  const callId = call.id === undefined ? issueId('call_') : call.id
  const base = {
    id: issueId('fc_'),
    type: 'function_call',
    ...(callId !== null && { call_id: callId }),
    name: call.name,
  }
  const at = { item_id: base.id }
  const text = argumentsText(call)
  const events = [
    ...argumentPieces(call).map((delta) => content('response.function_call_arguments.delta', { ...at, delta })),
    frame('response.function_call_arguments.done', { ...at, name: call.name, arguments: text }),
  ]
  const opening = { ...base, arguments: '', status: 'in_progress' }
  return { item: { ...base, arguments: text, status: 'completed' }, opening, events }
}
