// The output items that were issued: references and previous responses resolve to them, and reasoning must come back
// unchanged.
import { Refusal } from '../refusal.ts'
import { type Item, type ItemOf, isReasoning, type ResponsesRequest } from './request-shape.ts'

interface IssuedItem {
  readonly item: Item
  readonly isStored: boolean
  /** The reasoning item before it in the same response. */
  readonly reasoning: ItemOf<'reasoning'> | undefined
}

export class ItemMemory {
  private readonly byId = new Map<string, IssuedItem>()
  private readonly byCallId = new Map<string, IssuedItem>()
  private readonly byEncryptedContent = new Map<string, IssuedItem>()
  private readonly conversations = new Map<string, readonly Item[]>()

  remember(request: ResponsesRequest, responseId: string, output: readonly Item[]): void {
    const isStored = request.store !== false
    let reasoning: ItemOf<'reasoning'> | undefined
    for (const item of output) {
      const issued: IssuedItem = { item, isStored, reasoning }
      if ('id' in item && item.id !== undefined) this.byId.set(item.id, issued)
      if (item.type === 'function_call') this.byCallId.set(item.call_id, issued)
      if (!isReasoning(item)) continue
      reasoning = item
      if (item.encrypted_content) this.byEncryptedContent.set(item.encrypted_content, issued)
    }
    if (isStored) this.conversations.set(responseId, [...this.resolve(request), ...output])
  }

  /** All items that the model is shown, with the previous response's conversation and references resolved. */
  resolve({ input, previous_response_id: previous }: ResponsesRequest): readonly Item[] {
    const earlier = previous == null ? [] : this.conversations.get(previous)
    if (earlier === undefined) {
      throw new Refusal(`Previous response with id '${previous}' not found.`, {
        code: 'previous_response_not_found',
        param: 'previous_response_id',
      })
    }
    if (typeof input === 'string') return [...earlier, { role: 'user', content: input }]
    return [...earlier, ...input.map((item) => (item.type === 'item_reference' ? this.stored(item.id) : item))]
  }

  private stored(id: string): Item {
    const issued = this.byId.get(id)
    if (issued?.isStored) return issued.item
    const hint = issued ? ' Items are not persisted when `store` is set to false.' : ''
    throw new Refusal(`Item with id '${id}' not found.${hint}`, { status: 404, param: 'input' })
  }

  /** The reasoning that an item was issued with. */
  reasoningOf(item: Item): ItemOf<'reasoning'> | undefined {
    const byId = 'id' in item && item.id !== undefined ? this.byId.get(item.id) : undefined
    const issued = byId ?? (item.type === 'function_call' ? this.byCallId.get(item.call_id) : undefined)
    return issued?.reasoning
  }

  /** The reasoning as it was issued; throws when it is not known or was changed. */
  issuedReasoning(item: ItemOf<'reasoning'>): Item {
    const { id, encrypted_content: content } = item
    if (content != null) {
      const issued = this.byEncryptedContent.get(content)
      const isOther = id !== undefined && issued !== undefined && (issued.item as ItemOf<'reasoning'>).id !== id
      if (issued !== undefined && !isOther) return issued.item
      throw new Refusal(`The encrypted content for item ${id ?? 'reasoning'} could not be verified.`, {
        code: 'invalid_encrypted_content',
      })
    }
    return this.stored(id ?? '')
  }
}
