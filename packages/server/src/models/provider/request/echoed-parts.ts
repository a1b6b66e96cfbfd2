// Parts of a reply that the provider needs back unchanged in later turns: reasoning items, thinking blocks and thought
// signatures. Provider metadata marks them; other reasoning goes back only if it came in fields of the message.
// Providers also check their order, so the place of texts and calls between them is kept too.
import type { ProviderCall, ReplyPart } from '../sdk/language-model.ts'
import type { ReasoningFields } from '../sdk/reasoning-fields.ts'

type AssistantContent = Extract<ProviderCall['prompt'][number], { role: 'assistant' }>['content']
export type ProviderOptions = NonNullable<AssistantContent[number]['providerOptions']>

export type EchoedPart =
  | { readonly kind: 'reasoning'; readonly text: string; readonly options: ProviderOptions }
  /** The next characters of the reply's text. */
  | { readonly kind: 'text'; readonly length: number; readonly options?: ProviderOptions }
  | { readonly kind: 'call'; readonly id: string; readonly options?: ProviderOptions }

/** JSON, as it is journaled. */
export interface Echo {
  readonly parts: readonly EchoedPart[]
  /** Fields of the message, for the model that wrote them. Others may refuse them. */
  readonly reasoning?: { readonly model: string; readonly fields: ReasoningFields }
}

interface TakenPart {
  readonly kind: EchoedPart['kind']
  /** The provider's id of a reasoning or text part, our id of a call. */
  readonly id: string
  /** How much of the reply's text came before it. */
  readonly start: number
  reasoning: string
  options?: ProviderOptions | undefined
}

/** A reply that alternates between text, reasoning and calls more often is not one of a model. */
const maxParts = 10_000

export class EchoedParts {
  /** Fields of the message with the reasoning. */
  reasoning: ReasoningFields | undefined
  private readonly taken: TakenPart[] = []
  /** The last part of each kind and id. */
  private readonly lastById = new Map<string, TakenPart>()

  /** Whether there are more parts than a reply can have. */
  get isFull(): boolean {
    return this.taken.length > maxParts
  }

  /** `textLength` is how much text the reply has so far, `callId` the id under which a call is stored. */
  take(part: ReplyPart, textLength: number, callId?: string): void {
    const kind = kindOf(part)
    if (kind === undefined) return
    const { id, toolCallId = '', delta, providerMetadata } = part as PartFields
    const own = kind === 'call' ? (callId ?? toolCallId) : id
    if (providerMetadata !== undefined || opensPart(part)) {
      const known = this.find(kind, own) ?? this.open({ kind, id: own, start: textLength, reasoning: '' })
      known.options = merged(known.options, providerMetadata)
    }
    if (kind === 'reasoning' && delta !== undefined) this.think(own, delta)
  }

  /** Undefined if nothing has to be sent back. `textLength` is the length of the whole text. */
  echo(textLength: number, model: string): Echo | undefined {
    const { reasoning: fields } = this
    if (!fields && !this.taken.some(({ options }) => options)) return undefined
    const texts = this.taken.filter(({ kind }) => kind === 'text')
    // A text ends where the next one starts.
    const ends = new Map(texts.map((part, index) => [part, texts[index + 1]?.start ?? textLength]))
    const parts = this.taken.flatMap((part) => toEchoed(part, ends.get(part) ?? textLength))
    return { parts, ...(fields && { reasoning: { model, fields } }) }
  }

  private open(part: TakenPart): TakenPart {
    this.taken.push(part)
    this.lastById.set(`${part.kind} ${part.id}`, part)
    return part
  }

  private find(kind: EchoedPart['kind'], id: string): TakenPart | undefined {
    return this.lastById.get(`${kind} ${id}`)
  }

  private think(id: string, delta: string): void {
    const known = this.find('reasoning', id)
    if (known) known.reasoning += delta
  }
}

/** The fields that parts of the three kinds may have. */
interface PartFields {
  readonly id: string
  readonly toolCallId?: string
  readonly delta?: string
  readonly providerMetadata?: ProviderOptions
}

function kindOf({ type }: ReplyPart): EchoedPart['kind'] | undefined {
  if (type === 'reasoning-start' || type === 'reasoning-delta' || type === 'reasoning-end') return 'reasoning'
  if (type === 'text-start' || type === 'text-delta' || type === 'text-end') return 'text'
  return type === 'tool-call' ? 'call' : undefined
}

const opensPart = ({ type }: ReplyPart): boolean =>
  type === 'reasoning-start' || type === 'text-start' || type === 'tool-call'

function toEchoed({ kind, id, start, reasoning, options }: TakenPart, end: number): EchoedPart[] {
  const own = options && { options }
  if (kind === 'reasoning') return options ? [{ kind, text: reasoning, options }] : []
  return kind === 'text' ? [{ kind, length: end - start, ...own }] : [{ kind, id, ...own }]
}

function merged(known: ProviderOptions | undefined, more: ProviderOptions | undefined): ProviderOptions | undefined {
  if (!known || !more) return more ?? known
  const names = new Set([...Object.keys(known), ...Object.keys(more)])
  return Object.fromEntries([...names].map((name) => [name, { ...known[name], ...more[name] }]))
}
