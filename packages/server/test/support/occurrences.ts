// What has happened so far, such as calls and log lines. A test waits for the next one without looking again and again.
export class Occurrences<Item> {
  readonly all: Item[] = []
  readonly #waiting = new Set<() => void>()

  add(item: Item): void {
    this.all.push(item)
    this.changed()
  }

  /** Call it after an item of `all` has changed. */
  changed(): void {
    for (const look of [...this.#waiting]) look()
  }

  /** Resolves with what `find` finds, now or after a change. A wait that has no end fails by the test's own timeout. */
  until<Found>(find: (all: readonly Item[]) => Found | undefined | false): Promise<Found> {
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          const found = find(this.all)
          if (found === undefined || found === false) return
          resolve(found)
        } catch (error) {
          reject(error)
        }
        this.#waiting.delete(look)
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** The n-th that fits, counted from 1. */
  nth(n: number, fits: (item: Item) => boolean): Promise<Item> {
    return this.until((all) => all.filter(fits)[n - 1])
  }
}
