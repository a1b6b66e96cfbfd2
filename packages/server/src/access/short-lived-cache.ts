// A bounded cache whose entries are used for a few seconds only. When it is full the oldest entry goes: it would have been
// the next to grow too old anyway, so nothing is gained by keeping count of what was used last.

export class ShortLivedCache<Value extends { readonly since: number }> {
  readonly #entries = new Map<string, Value>()
  readonly #maxEntries: number
  readonly #maxAgeMs: number

  constructor(options: { readonly maxEntries: number; readonly maxAgeMs: number }) {
    this.#maxEntries = options.maxEntries
    this.#maxAgeMs = options.maxAgeMs
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string, now: number): Value | undefined {
    const value = this.#entries.get(key)
    return value && now - value.since <= this.#maxAgeMs ? value : undefined
  }

  set(key: string, value: Value): void {
    // Deleted first: an entry that is written anew moves to the young end.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#maxEntries) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
