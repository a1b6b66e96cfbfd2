// Group commit: items that arrive while a flush is in flight share the next one. A single item is flushed at once.
// Usually one flush is in flight; further lanes open when the queue is long enough.
// Items of one key are never in flight together and keep their order: the next one waits for its predecessor's outcome.
// Two items that wait may be merged into one, and then share its outcome. An item may be refused behind one that has
// failed.

export interface GroupCommitOptions<Item, Outcome> {
  /** Outcomes in the order of the items; an Error rejects its item alone. */
  readonly commit: (items: readonly Item[]) => Promise<readonly (Outcome | Error)[]>
  /** Called after a flush, when the next one is in flight and before the submitters get their outcomes. */
  readonly after?: (items: readonly Item[], outcomes: readonly (Outcome | Error)[]) => void
  /** Called after a flush, with how many items it had and how long it took. */
  readonly onFlush?: ((items: number, ms: number) => void) | undefined
  readonly keyOf?: (item: Item) => string
  /** Merges two items of one key; undefined when they must stay separate. */
  readonly merge?: (earlier: Item, later: Item) => Item | undefined
  /**
   * Called when an item has its outcome, for each item of its key that waits behind it. What it returns is the outcome
   * of the waiting item, which is then not committed; undefined when that does not rest on the other.
   */
  readonly refuseBehind?: (item: Item, outcome: Outcome | Error, waiting: Item) => Outcome | Error | undefined
  readonly maxItems?: number
  /** What an item adds to the weight of a flush. A flush stays below `maxWeight` unless its only item is heavier. */
  readonly weigh?: (item: Item) => number
  readonly maxWeight?: number
  /**
   * With this many items a flush starts before the current turn of the event loop ends. A larger flush takes at most
   * half of the items in the queue and in the last flush: while the database works on one half, the process works on
   * the other.
   */
  readonly enough?: number
  /** How many flushes may be in flight, and how many items must wait before a further one starts. */
  readonly lanes?: number
  readonly nextLaneAbove?: number
}

/** How a log groups its commits. Every option has a default. */
export type Grouping = Pick<
  GroupCommitOptions<never, never>,
  'maxItems' | 'enough' | 'lanes' | 'nextLaneAbove' | 'onFlush'
>

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

type Told<Item, Outcome> = readonly [Entry<Item, Outcome>, Outcome | Error]

type Settings<Item, Outcome> = GroupCommitOptions<Item, Outcome> &
  Required<
    Pick<GroupCommitOptions<Item, Outcome>, 'maxItems' | 'weigh' | 'maxWeight' | 'enough' | 'lanes' | 'nextLaneAbove'>
  >

export class GroupCommit<Item, Outcome> {
  readonly #options: Settings<Item, Outcome>
  #queue: Entry<Item, Outcome>[] = []
  /** The entries of each key in order: the first is queued or in flight, the others wait behind it. */
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

  /** Resolves when everything submitted so far has its outcome. */
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

  // At the end of the turn, so that requests of one turn of the event loop share a flush. A turn may be long, so with
  // enough items a flush starts at once.
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

  /** The next flush starts before the outcomes of this one are delivered. */
  async #commit(batch: readonly Entry<Item, Outcome>[]): Promise<void> {
    const items = batch.map((entry) => entry.item)
    const startedAt = performance.now()
    const outcomes = await this.#outcomesOf(items)
    this.#options.onFlush?.(items.length, performance.now() - startedAt)
    const told = batch.map((entry, index) => [entry, outcomes[index] ?? new Error(noOutcome)] as const)
    const refused = told.flatMap(([entry, outcome]) => this.#takeRefused(entry, outcome))
    for (const entry of batch) this.#advance(entry)
    this.#flights -= 1
    this.#flush()
    this.#options.after?.(items, outcomes)
    for (const [entry, outcome] of [...told, ...refused]) tell(entry, outcome)
  }

  /** Takes the items that rest on this one and were not committed with it out of its line. */
  #takeRefused({ key, item }: Entry<Item, Outcome>, outcome: Outcome | Error): Told<Item, Outcome>[] {
    const line = key === undefined ? undefined : this.#lines.get(key)
    const { refuseBehind } = this.#options
    if (!line || !refuseBehind || line.length === 1) return []
    const refused: Told<Item, Outcome>[] = []
    const left = line.filter((waiting, place) => {
      const refusal = place === 0 ? undefined : refuseBehind(item, outcome, waiting.item)
      if (refusal !== undefined) refused.push([waiting, refusal])
      return refusal === undefined
    })
    line.splice(0, line.length, ...left)
    return refused
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

const noOutcome = 'a flush returned no outcome for an item'

function tell<Item, Outcome>({ waiters }: Entry<Item, Outcome>, outcome: Outcome | Error): void {
  for (const { resolve, reject } of waiters) {
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome)
  }
}
