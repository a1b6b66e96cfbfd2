// The rules between messages of the Messages API. Anthropic merges turns of one role in a row, so they are accepted.
import { Refusal } from '../refusal.ts'
import { type AnthropicMessage, type Block, type BlockOf, blocksOf, type MessagesRequest } from './request-shape.ts'

export function checkConversation({ messages, system }: MessagesRequest): void {
  if (messages[0]?.role !== 'user') throw new Refusal('messages: first message must use the "user" role')
  if (messages.at(-1)?.role === 'assistant') {
    throw new Refusal(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
  if (Array.isArray(system)) system.forEach((block) => void checkText(block, 'system'))
  for (const [at, message] of messages.entries()) {
    checkContent(message, at)
    checkUniqueUses(messages, at)
    checkResults(messages, at)
  }
}

const checkText = ({ text }: { text: string }, where: string): void => {
  if (text === '') throw new Refusal(`${where}: text content blocks must be non-empty`)
  if (text.trim() === '') throw new Refusal(`${where}: text content blocks must contain non-whitespace text`)
}

function checkContent(message: AnthropicMessage, at: number): void {
  if (message.content.length === 0) {
    throw new Refusal(
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
    )
  }
  for (const [place, block] of blocksOf(message).entries()) {
    if (block.type === 'text') checkText(block, 'messages')
    if (block.type === 'tool_result') checkResultContent(block, `messages.${at}.content.${place}.tool_result`)
  }
}

function checkResultContent({ content, is_error }: BlockOf<'tool_result'>, path: string): void {
  if (is_error && (content === undefined || content.length === 0)) {
    throw new Refusal(`${path}: content cannot be empty if \`is_error\` is true`)
  }
  if (!Array.isArray(content)) return
  for (const block of content) if (block.type === 'text') checkText(block, path)
}

const usesOf = (message: AnthropicMessage | undefined): BlockOf<'tool_use'>[] =>
  message === undefined ? [] : blocksOf(message).filter((block) => block.type === 'tool_use')

const isResult = (block: Block): block is BlockOf<'tool_result'> => block.type === 'tool_result'

function checkUniqueUses(messages: readonly AnthropicMessage[], at: number): void {
  const earlier = messages.slice(0, at).flatMap(usesOf)
  const uses = usesOf(messages[at])
  for (const [place, { id }] of uses.entries()) {
    const seen = [...earlier, ...uses.slice(0, place)]
    if (seen.some((use) => use.id === id)) {
      throw new Refusal(`messages.${at}.content.${place}: \`tool_use\` ids must be unique`)
    }
  }
}

/** The message after tool uses begins with their results, one each. */
function checkResults(messages: readonly AnthropicMessage[], at: number): void {
  const message = messages[at] as AnthropicMessage
  const blocks = blocksOf(message)
  const asked = usesOf(messages[at - 1]).map(({ id }) => id)
  const firstOther = blocks.findIndex((block) => !isResult(block))
  const leading = blocks.slice(0, firstOther === -1 ? blocks.length : firstOther).filter(isResult)
  for (const [place, block] of blocks.entries()) {
    if (isResult(block) && !asked.includes(block.tool_use_id)) throw unexpectedResult(block.tool_use_id, at, place)
  }
  const answered = leading.map(({ tool_use_id }) => tool_use_id)
  const twice = answered.find((id, place) => answered.indexOf(id) !== place)
  if (twice !== undefined) {
    const rule = 'each tool_use must have a single result.'
    throw new Refusal(`messages.${at}.content: ${rule} Found multiple \`tool_result\` blocks with id: ${twice}`)
  }
  const open = asked.filter((id) => !answered.includes(id))
  if (open.length > 0) throw unanswered(open, at - 1)
}

const unexpectedResult = (id: string, at: number, place: number): Refusal =>
  new Refusal(
    `messages.${at}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
      'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  )

const unanswered = (ids: readonly string[], at: number): Refusal =>
  new Refusal(
    `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  )
