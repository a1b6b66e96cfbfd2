// One follower of one run: its position, and whether it is reading, live, or paused by a slow reader.
import type { StoredEvent } from '../store/run-log/run-change.ts'
import type { Watcher } from './event-hub.ts'

export interface FollowOptions {
  readonly customerId: string
  readonly runId: string
  readonly after: number
  /** Receives events in order and returns how many it took. If it takes fewer, it gets no more until `resume`. */
  readonly deliver: (events: readonly StoredEvent[]) => number
  /** The log cannot be read, and the follower was stopped. */
  readonly fail: (error: unknown) => void
}

/** How much a follower holds during a read. A follower that gets more reads again. */
const maxEarlyBytes = 64 * 1024

export class Following implements Watcher {
  readonly #options: FollowOptions
  readonly #requestRead: () => void
  readonly #onStop: () => void
  #last: number
  /** Live: everything committed was delivered, and the next event may come from the hub. Otherwise a read is due. */
  #live = false
  /** A wake-up came while a read was pending or running, so that read may miss events. */
  #stale = false
  /** Events that the hub handed over during the read. They may follow it directly. */
  #early: StoredEvent[] = []
  #earlyBytes = 0
  #paused = false
  #stopped = false

  constructor(options: FollowOptions, { requestRead, onStop }: { requestRead: () => void; onStop: () => void }) {
    this.#options = options
    this.#last = options.after
    this.#requestRead = requestRead
    this.#onStop = onStop
  }

  get customerId(): string {
    return this.#options.customerId
  }

  get runId(): string {
    return this.#options.runId
  }

  /** The `seq` of the last delivered event. */
  get last(): number {
    return this.#last
  }

  onEvents(events: readonly StoredEvent[]): void {
    const next = events[0]
    if (this.#live && !this.#paused && next?.seq === this.#last + 1) this.#deliver(events)
    else if (!this.#live && !this.#paused) this.#keepEarly(events)
    else this.onWake(events.at(-1)?.seq)
  }

  #keepEarly(events: readonly StoredEvent[]): void {
    for (const event of events) this.#earlyBytes += event.payload.length
    if (this.#earlyBytes <= maxEarlyBytes) this.#early.push(...events)
    else this.#stale = true
  }

  onWake(headSeq = Number.POSITIVE_INFINITY): void {
    if (headSeq <= this.#last) return
    if (this.#live && !this.#paused) this.readAgain()
    else this.#stale = true
  }

  readAgain(): void {
    if (this.#stopped) return
    this.#live = false
    this.#requestRead()
  }

  startRead(): void {
    this.#stale = false
  }

  /** `isComplete`: the read was not cut off by its limit. */
  endRead(events: readonly StoredEvent[], isComplete: boolean): void {
    if (this.#stopped) return
    this.#live = true
    this.#deliver(events.filter((event) => event.seq > this.#last))
    this.#deliverEarly()
    if (!isComplete) this.#stale = true
    if (this.#stale && !this.#paused) this.readAgain()
  }

  /** Delivers early events that follow without a gap. Any other event requires another read. */
  #deliverEarly(): void {
    const early = this.#early.filter((event) => event.seq > this.#last)
    this.#early = []
    this.#earlyBytes = 0
    const isNext = early.every((event, index) => event.seq === this.#last + 1 + index)
    if (isNext && !this.#paused) this.#deliver(early)
    else if (early.length > 0) this.#stale = true
  }

  fail(error: unknown): void {
    if (this.#stopped) return
    this.stop()
    this.#options.fail(error)
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    // Nothing was delivered while it was paused, so there may be new events.
    if (this.#live) this.readAgain()
  }

  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#live = false
    this.#onStop()
  }

  #deliver(events: readonly StoredEvent[]): void {
    if (events.length === 0 || this.#stopped) return
    const taken = this.#options.deliver(events)
    this.#last = events[taken - 1]?.seq ?? this.#last
    this.#paused = taken < events.length
  }
}
