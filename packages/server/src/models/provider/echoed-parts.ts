// Parts of a reply that the provider needs back unchanged in later turns: reasoning items and thought signatures.
// Provider metadata marks them; reasoning without it is never sent back.
import type { ProviderCall, ReplyPart } from './language-model.ts'

type AssistantContent = Extract<ProviderCall['prompt'][number], { role: 'assistant' }>['content']
type ProviderOptions = NonNullable<AssistantContent[number]['providerOptions']>

/** JSON, as it is journaled. */
export interface Echo {
  readonly reasoning?: readonly { readonly text: string; readonly options: ProviderOptions }[]
  /** By call id. */
  readonly calls?: Readonly<Record<string, ProviderOptions>>
  readonly text?: ProviderOptions
}

export class EchoedParts {
  private readonly reasoning = new Map<string, { text: string; options: ProviderOptions | undefined }>()
  private readonly calls: Record<string, ProviderOptions> = {}
  private text: ProviderOptions | undefined

  /** `callId` is the id under which a call is stored, if it differs from the provider's. */
  take(part: ReplyPart, callId?: string): void {
    const options = 'providerMetadata' in part ? (part.providerMetadata as ProviderOptions | undefined) : undefined
    if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end') {
      const known = this.reasoning.get(part.id) ?? { text: '', options: undefined }
      const text = part.type === 'reasoning-delta' ? known.text + part.delta : known.text
      this.reasoning.set(part.id, { text, options: merged(known.options, options) })
    } else if (part.type === 'tool-call' && options) this.calls[callId ?? part.toolCallId] = options
    else if (part.type === 'text-start' || part.type === 'text-end') this.text = merged(this.text, options)
  }

  /** Undefined if nothing has to be sent back. */
  get echo(): Echo | undefined {
    const reasoning = [...this.reasoning.values()].flatMap(({ text, options }) => (options ? [{ text, options }] : []))
    const echo: Echo = {
      ...(reasoning.length > 0 && { reasoning }),
      ...(Object.keys(this.calls).length > 0 && { calls: this.calls }),
      ...(this.text && { text: this.text }),
    }
    return Object.keys(echo).length > 0 ? echo : undefined
  }
}

function merged(known: ProviderOptions | undefined, more: ProviderOptions | undefined): ProviderOptions | undefined {
  if (!known || !more) return more ?? known
  const names = new Set([...Object.keys(known), ...Object.keys(more)])
  return Object.fromEntries([...names].map((name) => [name, { ...known[name], ...more[name] }]))
}
