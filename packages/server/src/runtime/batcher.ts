// Group commit: whoever comes while a flush is in flight shares the next one. Alone, an item waits for nobody.
// One flush is in flight, and another lane opens only behind a queue; how long it must be is for who groups to say.
// Items of one key are never in flight together, and keep their order: the next one waits for its predecessor's outcome.
// Two that wait may be made into one, and share its outcome.

export interface GroupCommitOptions<Item, Outcome> {
  /** Outcomes in the order of the items; an Error rejects its item alone. */
  readonly commit: (items: readonly Item[]) => Promise<readonly (Outcome | Error)[]>
  /** What follows from a flush. The next one is on its way by then; who submitted the items has not heard yet. */
  readonly after?: (items: readonly Item[], outcomes: readonly (Outcome | Error)[]) => void
  readonly keyOf?: (item: Item) => string
  /** Two items of one key as one; undefined when they must stay two. */
  readonly merge?: (earlier: Item, later: Item) => Item | undefined
  readonly maxItems?: number
  /** What an item adds to the size of a flush; a flush ends before it grows over `maxWeight`. */
  readonly weigh?: (item: Item) => number
  readonly maxWeight?: number
  /**
   * How many items are worth a flush before the turn they came in is over; else they all wait for its end. Beyond this a
   * flush takes no more than half of those around: what came back from the last one is likely to return, and while the
   * database works on one half the process works on the other.
   */
  readonly enough?: number
  /** How many flushes may be in flight, and how many items must wait before there is more than one. */
  readonly lanes?: number
  readonly nextLaneAbove?: number
}

/** How a log groups what it commits; what is left out is chosen well. */
export type Grouping = Pick<GroupCommitOptions<never, never>, 'maxItems' | 'enough' | 'lanes' | 'nextLaneAbove'>

interface Waiter<Outcome> {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

interface Entry<Item, Outcome> {
  item: Item
  readonly key: string | undefined
  readonly since: number
  readonly waiters: Waiter<Outcome>[]
  isInFlight: boolean
}

type Settings<Item, Outcome> = GroupCommitOptions<Item, Outcome> &
  Required<
    Pick<GroupCommitOptions<Item, Outcome>, 'maxItems' | 'weigh' | 'maxWeight' | 'enough' | 'lanes' | 'nextLaneAbove'>
  >

export class GroupCommit<Item, Outcome> {
  readonly #options: Settings<Item, Outcome>
  #queue: Entry<Item, Outcome>[] = []
  /** The entries of each key in their order: the first is queued or in flight, the others wait behind it. */
  readonly #lines = new Map<string, Entry<Item, Outcome>[]>()
  readonly #inFlight = new Set<Promise<void>>()
  #flights = 0
  #lastSize = 0
  #flushSoon = false

  constructor(options: GroupCommitOptions<Item, Outcome>) {
    this.#options = {
      maxItems: 200,
      weigh: () => 0,
      maxWeight: 4 * 1024 * 1024,
      enough: Number.POSITIVE_INFINITY,
      lanes: 2,
      nextLaneAbove: 256,
      ...options,
    }
  }

  submit(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => this.#place(item, { resolve, reject }))
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

  #place(item: Item, waiter: Waiter<Outcome>): void {
    const key = this.#options.keyOf?.(item)
    const line = key === undefined ? undefined : this.#lines.get(key)
    const last = line?.at(-1)
    if (last && this.#join(last, item, waiter)) return
    const entry = { item, key, since: performance.now(), waiters: [waiter], isInFlight: false }
    if (line) line.push(entry)
    else this.#enqueue(entry)
  }

  #join(last: Entry<Item, Outcome>, item: Item, waiter: Waiter<Outcome>): boolean {
    const merged = last.isInFlight ? undefined : this.#options.merge?.(last.item, item)
    if (merged === undefined) return false
    last.item = merged
    last.waiters.push(waiter)
    return true
  }

  #enqueue(entry: Entry<Item, Outcome>): void {
    if (entry.key !== undefined) this.#lines.set(entry.key, [entry])
    this.#queue.push(entry)
    this.#scheduleFlush()
  }

  // Not at once: requests that arrived in the same turn of the event loop belong together. But a turn may be long, and once
  // there are enough of them for a flush of their own the database need not wait for its end.
  #scheduleFlush(): void {
    if (this.#queue.length >= this.#options.enough) this.#flush()
    if (this.#flushSoon || this.#queue.length === 0 || !this.#hasFreeLane()) return
    this.#flushSoon = true
    setImmediate(() => {
      this.#flushSoon = false
      this.#flush()
    })
  }

  #hasFreeLane(): boolean {
    const { lanes, nextLaneAbove } = this.#options
    if (this.#flights === 0) return true
    return this.#flights < lanes && this.#queue.length > nextLaneAbove
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#hasFreeLane()) {
      this.#flights += 1
      const flight: Promise<void> = this.#commit(this.#takeBatch()).finally(() => this.#inFlight.delete(flight))
      this.#inFlight.add(flight)
    }
  }

  #takeBatch(): Entry<Item, Outcome>[] {
    const { maxItems, maxWeight, weigh, enough } = this.#options
    const half = Math.max(enough, Math.ceil((this.#queue.length + this.#lastSize) / 2))
    const most = Math.min(maxItems, half, this.#queue.length)
    let count = 0
    for (let weight = 0; count < most; count += 1) {
      const entry = this.#queue[count] as Entry<Item, Outcome>
      weight += weigh(entry.item)
      if (weight > maxWeight && count > 0) break
      entry.isInFlight = true
    }
    this.#lastSize = count
    return this.#queue.splice(0, count)
  }

  /** The database is given its next work before anyone here acts on the last. */
  async #commit(batch: readonly Entry<Item, Outcome>[]): Promise<void> {
    const items = batch.map((entry) => entry.item)
    const outcomes = await this.#outcomesOf(items)
    for (const entry of batch) this.#advance(entry)
    this.#flights -= 1
    this.#flush()
    this.#options.after?.(items, outcomes)
    for (const [index, entry] of batch.entries()) tell(entry, outcomes[index])
  }

  async #outcomesOf(items: readonly Item[]): Promise<readonly (Outcome | Error)[]> {
    try {
      return await this.#options.commit(items)
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      return items.map(() => failure)
    }
  }

  #advance({ key }: Entry<Item, Outcome>): void {
    if (key === undefined) return
    const line = this.#lines.get(key)
    line?.shift()
    const next = line?.[0]
    if (next) this.#queue.push(next)
    else this.#lines.delete(key)
  }
}

function tell<Item, Outcome>({ waiters }: Entry<Item, Outcome>, outcome: Outcome | Error | undefined): void {
  const known = outcome ?? new Error('a flush gave no outcome')
  for (const { resolve, reject } of waiters) {
    if (known instanceof Error) reject(known)
    else resolve(known)
  }
}
