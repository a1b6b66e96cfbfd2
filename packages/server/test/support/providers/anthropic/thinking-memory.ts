// The thinking blocks that were issued: they come back unchanged, and with the tool uses they were issued with.
import { Refusal } from '../refusal.ts'
import { type AnthropicMessage, blocksOf, type MessagesRequest, thinks } from './request-shape.ts'

export class ThinkingMemory {
  private readonly thinkingBySignature = new Map<string, string>()
  private readonly signatureByUse = new Map<string, string>()

  remember(signature: string, thinking: string, useIds: readonly string[]): void {
    this.thinkingBySignature.set(signature, thinking)
    for (const id of useIds) this.signatureByUse.set(id, signature)
  }

  check(request: MessagesRequest): void {
    for (const [at, message] of request.messages.entries()) this.checkUnchanged(message, at)
    if (thinks(request)) this.checkPresent(request)
  }

  private checkUnchanged(message: AnthropicMessage, at: number): void {
    for (const [place, block] of blocksOf(message).entries()) {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') continue
      const path = `messages.${at}.content.${place}`
      const [field, seal, shown] =
        block.type === 'thinking' ? ['signature', block.signature, block.thinking] : ['data', block.data, '']
      const issued = this.thinkingBySignature.get(seal)
      if (issued === undefined) throw new Refusal(`${path}: Invalid \`${field}\` in \`${block.type}\` block`)
      if (issued === shown) continue
      const rule = 'These blocks must remain as they were in the original response.'
      throw new Refusal(`${path}: \`thinking\` or \`redacted_thinking\` blocks cannot be modified. ${rule}`)
    }
  }

  /** Only the turn that is still going on has to have its thinking: the messages since the user's last words. */
  private checkPresent({ messages, thinking }: MessagesRequest): void {
    const lastWords = messages.findLastIndex(
      (message) => message.role === 'user' && !blocksOf(message).some(({ type }) => type === 'tool_result'),
    )
    for (const [at, message] of messages.entries()) {
      const [first, ...rest] = blocksOf(message)
      const uses = [first, ...rest].filter((block) => block?.type === 'tool_use')
      if (at < lastWords || uses.length === 0) continue
      const isDue = uses.some(({ id }) => this.signatureByUse.has(id)) || thinking?.type === 'enabled'
      if (!isDue || first?.type === 'thinking' || first?.type === 'redacted_thinking') continue
      throw new Refusal(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`. ` +
          'When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
      )
    }
  }
}
