// The rules between messages. OpenAI's own are those about tool calls; the others are those of strict gateways and chat
// templates behind the same wire format (vLLM, Mistral, Bedrock): turns alternate, and nothing is empty.
import { isObject, parsedOrText } from '../json.ts'
import { Refusal } from '../refusal.ts'
import type { ChatMessage, ChatRequest } from './request-shape.ts'

export function checkConversation(messages: readonly ChatMessage[]): void {
  messages.forEach(checkContent)
  checkTurns(messages)
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') checkCalls(message, at)
    if (message.role === 'tool') checkFollowsCalls(messages, at)
    if (message.role === 'assistant' && message.tool_calls) checkAnswers(messages, at)
  }
}

/** Only where the provider's options ask for it. */
export function checkToolsOffered({ messages, tools = [] }: ChatRequest): void {
  const at = messages.findIndex((message) => message.role === 'assistant' && message.tool_calls !== undefined)
  if (at === -1 || tools.length > 0) return
  throw new Refusal("'tools' must be defined when the messages have 'tool_calls'.", { param: 'tools' })
}

type Assistant = Extract<ChatMessage, { role: 'assistant' }>

const at = (index: number, field: string): string => `messages[${index}].${field}`

function checkContent(message: ChatMessage, index: number): void {
  const { content } = message
  const mayBeEmpty = message.role === 'assistant' && (message.tool_calls !== undefined || message.refusal != null)
  if (content == null && !mayBeEmpty) {
    throw new Refusal(`Invalid value for 'content': expected a string, got null.`, { param: at(index, 'content') })
  }
  if (content === '' || (Array.isArray(content) && content.length === 0)) {
    throw new Refusal(`Invalid '${at(index, 'content')}': content must not be empty.`, { param: at(index, 'content') })
  }
  if (!Array.isArray(content)) return
  const empty = content.findIndex((part) => part.type === 'text' && part.text === '')
  if (empty === -1) return
  const param = at(index, `content[${empty}].text`)
  throw new Refusal(`Invalid '${param}': text content parts must not be empty.`, { param })
}

function checkTurns(messages: readonly ChatMessage[]): void {
  const start = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const turns = start === -1 ? [] : messages.slice(start)
  const late = turns.findIndex(({ role }) => role === 'system' || role === 'developer')
  if (late !== -1) throw new Refusal('System messages must be at the beginning.', { param: at(start + late, 'role') })
  if (turns[0]?.role !== 'user') throw new Refusal('The first message must be of the user.', { param: 'messages' })
  const twice = turns.findIndex(({ role }, index) => role !== 'tool' && role === turns[index - 1]?.role)
  if (twice !== -1) {
    throw new Refusal('Conversation roles must alternate: user/assistant/user/assistant/…', {
      param: at(start + twice, 'role'),
    })
  }
  if (turns.at(-1)?.role === 'assistant') {
    throw new Refusal('Expected the last role to be user or tool, but got assistant.', { param: 'messages' })
  }
}

function checkCalls({ tool_calls: calls = [] }: Assistant, index: number): void {
  for (const [place, call] of calls.entries()) {
    const param = at(index, `tool_calls[${place}]`)
    if (calls.findIndex(({ id }) => id === call.id) !== place) {
      throw new Refusal(`Duplicate value for 'id' of '${call.id}' in '${param}'.`, { param })
    }
    if (!isObject(parsedOrText(call.function.arguments))) {
      throw new Refusal(`Invalid '${param}.function.arguments': it is not a JSON object.`, { param })
    }
  }
}

function checkFollowsCalls(messages: readonly ChatMessage[], index: number): void {
  const before = messages.slice(0, index).findLast(({ role }) => role !== 'tool')
  if (before?.role === 'assistant' && before.tool_calls !== undefined) return
  const rule = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
  throw new Refusal(`Invalid parameter: ${rule}`, { param: at(index, 'role') })
}

function checkAnswers(messages: readonly ChatMessage[], index: number): void {
  const asked = (messages[index] as Assistant).tool_calls?.map(({ id }) => id) ?? []
  const answered = answersAfter(messages, index)
  for (const [place, id] of answered.entries()) {
    const param = at(index + 1 + place, 'tool_call_id')
    if (!asked.includes(id)) {
      throw new Refusal(`Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`, {
        param,
      })
    }
    if (answered.indexOf(id) !== place) {
      throw new Refusal(`Invalid parameter: Duplicate value for 'tool_call_id' of '${id}'.`, { param })
    }
  }
  const open = asked.filter((id) => !answered.includes(id))
  if (open.length === 0) return
  const rule =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
  throw new Refusal(`${rule} The following tool_call_ids did not have response messages: ${open.join(', ')}`, {
    param: at(index + 1, 'role'),
  })
}

function answersAfter(messages: readonly ChatMessage[], index: number): string[] {
  const answers: string[] = []
  for (const message of messages.slice(index + 1)) {
    if (message.role !== 'tool') break
    answers.push(message.tool_call_id)
  }
  return answers
}
