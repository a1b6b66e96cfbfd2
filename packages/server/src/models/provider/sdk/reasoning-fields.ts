// The reasoning in answers of compatible servers. It is in fields beside the content, under names that differ. Some
// servers demand the fields back in later turns, under the same names.

/** The fields of an assistant message, as the server sent them. */
export type ReasoningFields = Readonly<Record<string, unknown>>

type Delta = Readonly<Record<string, unknown>>

/** Everything that is kept of one reply, in UTF-16 units. */
const maxLength = 1_048_576

const textFields = ['reasoning_content', 'reasoning'] as const
/** Fields of a detail that come piece by piece. */
const streamedParts = ['text', 'summary', 'data', 'signature'] as const

export class ReasoningCollector {
  readonly #texts = new Map<string, string>()
  readonly #details: Record<string, unknown>[] = []
  #length = 0

  take(delta: Delta): void {
    for (const name of textFields) {
      const piece = delta[name]
      if (typeof piece === 'string' && piece !== '') this.#addText(name, piece)
    }
    const { reasoning_details: details } = delta
    if (Array.isArray(details)) for (const detail of details) if (isObject(detail)) this.#addDetail(detail)
  }

  /** Undefined if the server sent none, or more than is kept: a part of it would be refused. */
  get fields(): ReasoningFields | undefined {
    if (this.#length === 0 || this.#length > maxLength) return undefined
    return { ...Object.fromEntries(this.#texts), ...(this.#details.length > 0 && { reasoning_details: this.#details }) }
  }

  #addText(name: string, piece: string): void {
    if (this.#grow(piece.length)) this.#texts.set(name, (this.#texts.get(name) ?? '') + piece)
  }

  /** A detail comes in pieces with the same type and index. */
  #addDetail(detail: Readonly<Record<string, unknown>>): void {
    if (!this.#grow(JSON.stringify(detail).length)) return
    const last = this.#details.at(-1)
    if (!last || last.type !== detail.type || last.index !== detail.index) {
      this.#details.push({ ...detail })
      return
    }
    for (const [name, value] of Object.entries(detail)) {
      const known = last[name]
      const isPiece = streamedParts.some((part) => part === name) && typeof known === 'string'
      if (isPiece && typeof value === 'string') last[name] = known + value
      else if (value !== null && value !== undefined) last[name] = value
    }
  }

  #grow(length: number): boolean {
    this.#length += length
    return this.#length <= maxLength
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
