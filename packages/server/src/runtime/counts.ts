// Counts by id. An id that counts 0 takes no memory.

export class Counts {
  readonly #counts = new Map<string, number>()

  of(id: string): number {
    return this.#counts.get(id) ?? 0
  }

  /** The ids that count more than 0. */
  get ids(): string[] {
    return [...this.#counts.keys()]
  }

  change(id: string, by: number): void {
    const count = this.of(id) + by
    if (count > 0) this.#counts.set(id, count)
    else this.#counts.delete(id)
  }
}
