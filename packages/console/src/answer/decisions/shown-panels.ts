// The waits whose panel is on the page. A wait may have two panels for a moment, while one page replaces another.
export class ShownPanels {
  readonly #listeners = new Set<() => void>()
  #keys: readonly string[] = []

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): readonly string[] => this.#keys

  /** Returns how it is hidden again. */
  readonly show = (key: string): (() => void) => {
    this.#set([...this.#keys, key])
    return () => this.#set(this.#keys.toSpliced(this.#keys.indexOf(key), 1))
  }

  #set(keys: readonly string[]): void {
    this.#keys = keys
    for (const listener of this.#listeners) listener()
  }
}
