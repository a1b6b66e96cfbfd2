// A value that is passed to everyone who listens at that moment. Listeners are called in the order of their
// subscription.

export class Signal<T = void> {
  readonly #listeners = new Set<(value: T) => void>()

  /** Returns the function that ends the subscription. */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  emit(value: T): void {
    for (const listener of this.#listeners) listener(value)
  }
}
