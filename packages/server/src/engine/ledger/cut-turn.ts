// Limits the size of a turn's record. Up to the limit everything is kept whole.
import { cutText, type TurnMessage } from '@runwright/contract'
import type { TurnBody } from '../../store/run-log/run-change.ts'

/** The most characters of the new messages of a record, and of its reply. */
export const maxTurnLength = 1_000_000

export interface CutMessage {
  readonly message: TurnMessage
  readonly isCut: boolean
}

/** The messages share the limit: what comes after it is left out, and says so. */
export function cutMessages(messages: readonly TurnMessage[], maxLength: number = maxTurnLength): CutMessage[] {
  let left = maxLength
  return messages.map((message) => {
    const length = JSON.stringify(message).length
    const room = Math.max(0, left)
    left -= length
    return length <= room ? { message, isCut: false } : { message: cutMessage(message, room), isCut: true }
  })
}

function cutMessage(message: TurnMessage, room: number): TurnMessage {
  if (message.from === 'tool') return { ...message, result: cutValue(message.result, room) }
  if (message.from !== 'assistant') return { ...message, text: cut(message.text, room) }
  const text = cut(message.text, room)
  const roomForCalls = room - text.length
  const tool_calls = message.tool_calls.map((call) => ({ ...call, input: cutValue(call.input, roomForCalls) }))
  return { ...message, text, tool_calls }
}

export function cutReply(body: Omit<TurnBody, 'truncated'>, maxLength: number = maxTurnLength) {
  const { reply } = body
  if (reply === null || JSON.stringify(reply).length <= maxLength) return { body, isCut: false }
  const { echo: _, ...shown } = reply
  const text = cut(reply.text, maxLength)
  const room = maxLength - text.length
  const tool_calls = reply.tool_calls.map((call) => ({ ...call, input: cutValue(call.input, room) }))
  const output = reply.output === undefined ? {} : { output: cutValue(reply.output, room) }
  return { body: { ...body, reply: { ...shown, ...output, text, tool_calls } }, isCut: true }
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const kept = cutText(text, Math.max(0, maxLength))
  return `${kept}\n[… ${text.length - kept.length} more characters are not kept]`
}

/** A value that is too long becomes the beginning of its JSON text. */
function cutValue(value: unknown, maxLength: number): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= maxLength ? value : cut(text, maxLength)
}
