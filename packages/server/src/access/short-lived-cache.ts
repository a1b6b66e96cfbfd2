// A bounded cache whose entries expire after a few seconds. When it is full, the oldest entry is evicted. It would be
// the next to expire anyway, so tracking the last use would gain nothing.

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
    // Deleted first, so that an updated entry becomes the newest.
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
