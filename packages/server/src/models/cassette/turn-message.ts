// A message in the form in which turns and cassettes keep it.
import type { TurnMessage } from '@runwright/contract'
import type { Message } from '../port/model.ts'

/** Of a file only its name, type and size are kept. `echo` is provider data that says nothing to people. */
export function toTurnMessage(message: Message): TurnMessage {
  if (message.from === 'tool') {
    const { from, callId, name, result, failed } = message
    return { from, call_id: callId, name, result, failed }
  }
  const { from, text } = message
  if (message.from === 'assistant') return { from: 'assistant', text, tool_calls: [...message.toolCalls] }
  if (from === 'system') return { from, text }
  const files = message.files?.map(({ ref, mediaType, data }) => ({ ref, media_type: mediaType, bytes: data.length }))
  return { from: 'user', text, ...(files && files.length > 0 && { files }) }
}
