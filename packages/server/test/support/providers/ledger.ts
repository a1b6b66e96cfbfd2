// A list that a test can wait on, without polling.

export class Ledger<T> {
  readonly entries: T[] = []
  private readonly waiting: { readonly count: number; readonly resolve: (entry: T) => void }[] = []

  add(entry: T): void {
    this.entries.push(entry)
    for (const { count, resolve } of this.waiting) if (count === this.entries.length) resolve(entry)
  }

  /** The entry number `count`, counted from 1, as soon as it is there. */
  entry(count: number): Promise<T> {
    const present = this.entries[count - 1]
    if (present !== undefined) return Promise.resolve(present)
    return new Promise((resolve) => this.waiting.push({ count, resolve }))
  }
}
