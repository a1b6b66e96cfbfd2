// Group commit: whoever comes while a flush is in flight shares the next one. Alone, an item waits for nobody.
// One flush is in flight, and another lane opens only behind a long queue: more in parallel was measured to gain nothing.
// Items of one key are never in flight together, and keep their order: the next one waits for its predecessor's outcome.

export interface GroupCommitOptions<Item, Outcome> {
  /** Outcomes in the order of the items; an Error rejects its item alone. */
  readonly commit: (items: readonly Item[]) => Promise<readonly (Outcome | Error)[]>
  readonly keyOf?: (item: Item) => string
  readonly maxItems?: number
  /** What an item adds to the size of a flush; a flush ends before it grows over `maxWeight`. */
  readonly weigh?: (item: Item) => number
  readonly maxWeight?: number
  /** How many flushes may be in flight, and how many items must wait before there is more than one. */
  readonly lanes?: number
  readonly nextLaneAbove?: number
}

/** How a log groups what it commits; what is left out is chosen well. */
export type Grouping = Pick<GroupCommitOptions<never, never>, 'maxItems' | 'lanes' | 'nextLaneAbove'>

interface Entry<Item, Outcome> {
  readonly item: Item
  readonly key: string | undefined
  readonly since: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export class GroupCommit<Item, Outcome> {
  readonly #options: Required<Omit<GroupCommitOptions<Item, Outcome>, 'keyOf'>> & { keyOf?: (item: Item) => string }
  #queue: Entry<Item, Outcome>[] = []
  /** Keys queued or in flight, each with the entries that wait behind. */
  readonly #behind = new Map<string, Entry<Item, Outcome>[]>()
  readonly #inFlight = new Set<Promise<void>>()
  #flushSoon = false

  constructor(options: GroupCommitOptions<Item, Outcome>) {
    this.#options = {
      maxItems: 200,
      weigh: () => 0,
      maxWeight: 4 * 1024 * 1024,
      lanes: 2,
      nextLaneAbove: 256,
      ...options,
    }
  }

  submit(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const entry = { item, key: this.#options.keyOf?.(item), since: performance.now(), resolve, reject }
      const line = entry.key === undefined ? undefined : this.#behind.get(entry.key)
      if (line) line.push(entry)
      else this.#enqueue(entry)
    })
  }

  /** How long the oldest queued item has waited for its flush. */
  get behindMs(): number {
    const oldest = this.#queue[0]
    return oldest ? performance.now() - oldest.since : 0
  }

  /** Until everything submitted so far has its outcome. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#inFlight.size > 0) {
      this.#flush()
      await Promise.race(this.#inFlight)
    }
  }

  #enqueue(entry: Entry<Item, Outcome>): void {
    if (entry.key !== undefined && !this.#behind.has(entry.key)) this.#behind.set(entry.key, [])
    this.#queue.push(entry)
    this.#scheduleFlush()
  }

  // Not at once: requests that arrived in the same turn of the event loop belong together.
  #scheduleFlush(): void {
    if (this.#flushSoon || !this.#hasFreeLane()) return
    this.#flushSoon = true
    setImmediate(() => {
      this.#flushSoon = false
      this.#flush()
    })
  }

  #hasFreeLane(): boolean {
    const { lanes, nextLaneAbove } = this.#options
    if (this.#inFlight.size === 0) return true
    return this.#inFlight.size < lanes && this.#queue.length > nextLaneAbove
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#hasFreeLane()) {
      const flight: Promise<void> = this.#commit(this.#takeBatch()).finally(() => {
        this.#inFlight.delete(flight)
        this.#flush()
      })
      this.#inFlight.add(flight)
    }
  }

  #takeBatch(): Entry<Item, Outcome>[] {
    const { maxItems, maxWeight, weigh } = this.#options
    let count = 0
    for (let weight = 0; count < Math.min(maxItems, this.#queue.length); count += 1) {
      weight += weigh((this.#queue[count] as Entry<Item, Outcome>).item)
      if (weight > maxWeight && count > 0) break
    }
    return this.#queue.splice(0, count)
  }

  async #commit(batch: readonly Entry<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.commit(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => {
        const outcome = outcomes[index] ?? new Error('a flush gave no outcome')
        if (outcome instanceof Error) entry.reject(outcome)
        else entry.resolve(outcome)
      })
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
    for (const entry of batch) this.#releaseKey(entry)
  }

  #releaseKey({ key }: Entry<Item, Outcome>): void {
    if (key === undefined) return
    const next = this.#behind.get(key)?.shift()
    if (next) this.#queue.push(next)
    else this.#behind.delete(key)
  }
}
