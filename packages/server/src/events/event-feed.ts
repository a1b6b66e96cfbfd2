// Follows runs: first the stored events, then the new ones, in order and without a gap. A follower is registered for
// wake-ups before it reads, so it misses nothing. It takes an event from the hub only if that is its next one; any
// other event is a wake-up, and all followers that wake up share one read. A read is limited in bytes, and followers of
// different customers take turns: a customer with long logs cannot hold up the streams of another.
import { customerMoving, ServiceError } from '../domain/service-error.ts'
import { sleep } from '../runtime/backoff.ts'
import { findMovedCustomers } from '../store/cells/move-state.ts'
import type { Database } from '../store/postgres/database.ts'
import { isBusy } from '../store/postgres/errors.ts'
import { findHeads, findNewEvents, type RunCursor } from '../store/runs/events.ts'
import type { RunKey } from '../store/runs/run-key.ts'
import type { EventHub } from './event-hub.ts'
import { Following, type FollowOptions } from './following.ts'

export type Follower = Pick<Following, 'resume' | 'stop' | 'last'>
/** A follower whose first read the caller makes. `endRead` takes the result of that read. */
type NewFollower = Follower & Pick<Following, 'endRead'>

const followersPerRead = 500
const runsPerRead = 500
const readLimits = { eventsPerCursor: 200, bytesPerCursor: 64 * 1024, maxBytes: 4 * 1024 * 1024 }
/** How long the database may be unavailable before followers fail. */
const retryBudget = { ms: 2_000, ambiguousMs: 2_000 }

/** Before a read is tried again that this process was too busy for. */
const busyPauseMs = 500

const runDeleted = () => new ServiceError('RUN_NOT_FOUND', 'The run was deleted.')

export class EventFeed {
  readonly #database: Database
  readonly #hub: EventHub
  readonly #followings = new Set<Following>()
  readonly #due = new Set<Following>()
  #reading = false

  constructor(database: Database, hub: EventHub) {
    this.#database = database
    this.#hub = hub
  }

  follow(options: FollowOptions): Follower {
    const following = this.#register(options)
    following.readAgain()
    return following
  }

  /** Registers the follower before the caller reads the stored events, so no event is missed between the two. */
  followAfterRead(options: FollowOptions): NewFollower {
    const following = this.#register(options)
    following.startRead()
    return following
  }

  #register(options: FollowOptions): Following {
    const following: Following = new Following(options, {
      requestRead: () => this.#readSoon(following),
      onStop: () => {
        unwatch()
        this.#followings.delete(following)
        this.#due.delete(following)
      },
    })
    const unwatch = this.#hub.watch(options.runId, following)
    this.#followings.add(following)
    return following
  }

  /**
   * The safety net for lost wake-ups: wakes every follower that is behind its run. If the database is unavailable, all
   * followers fail. If only this process is busy, the next pass does it. Followers of a run that was deleted or moved
   * to another cell fail, too.
   */
  async runOnce(): Promise<{ checked: number }> {
    const runs = this.#followedRuns()
    try {
      for (let start = 0; start < runs.length; start += runsPerRead) {
        const some = runs.slice(start, start + runsPerRead)
        const heads = await findHeads(this.#database, some, retryBudget)
        for (const [runId, { lastSeq }] of heads) this.#hub.wake([runId], lastSeq)
        await this.#failMissing(some.filter(({ id }) => !heads.has(id)))
      }
    } catch (error) {
      if (!isBusy(error)) for (const following of this.#followings) following.fail(error)
      throw error
    }
    return { checked: runs.length }
  }

  /** The client of a run that was moved is to try again: the other cell has the run. */
  async #failMissing(runs: readonly RunKey[]): Promise<void> {
    if (runs.length === 0) return
    const ids = new Set(runs.map(({ id }) => id))
    const moved = await findMovedCustomers(this.#database, [...new Set(runs.map(({ customerId }) => customerId))])
    for (const following of this.#followings) {
      if (!ids.has(following.runId)) continue
      following.fail(moved.has(following.customerId) ? customerMoving() : runDeleted())
    }
  }

  #followedRuns(): RunKey[] {
    const customers = new Map([...this.#followings].map(({ runId, customerId }) => [runId, customerId]))
    return [...customers].map(([id, customerId]) => ({ id, customerId }))
  }

  #readSoon(following: Following): void {
    this.#due.add(following)
    if (this.#reading) return
    this.#reading = true
    setImmediate(() => this.#readAllDue())
  }

  async #readAllDue(): Promise<void> {
    while (this.#due.size > 0) {
      const batch = [...roundRobin(this.#due)].slice(0, followersPerRead)
      for (const following of batch) this.#due.delete(following)
      await this.#read(batch).catch((error: unknown) => this.#noteFailedRead(batch, error))
    }
    this.#reading = false
  }

  async #noteFailedRead(batch: readonly Following[], error: unknown): Promise<void> {
    for (const following of batch) {
      if (isBusy(error)) following.readAgain()
      else following.fail(error)
    }
    if (isBusy(error)) await sleep(busyPauseMs)
  }

  async #read(batch: readonly Following[]): Promise<void> {
    const cursors = new Map(batch.map((following) => [cursorKey(following), cursorOf(following)]))
    for (const following of batch) following.startRead()
    const reads = await findNewEvents(this.#database, [...cursors.values()], readLimits)
    const found = new Map([...cursors.keys()].map((key, place) => [key, reads[place]]))
    for (const following of batch) {
      const { events, isComplete } = found.get(cursorKey(following)) ?? { events: [], isComplete: false }
      following.endRead(events, isComplete)
    }
  }
}

const cursorOf = ({ customerId, runId: id, last: after }: Following): RunCursor => ({ customerId, id, after })

/** Followers at the same event of the same run share a cursor. */
const cursorKey = ({ runId, last }: Following): string => `${runId}:${last}`

/** The first follower of each customer, then the second of each, and so on. */
function* roundRobin(followings: Iterable<Following>): Generator<Following> {
  const byCustomer = new Map<string, Following[]>()
  for (const following of followings) {
    const own = byCustomer.get(following.customerId)
    if (own) own.push(following)
    else byCustomer.set(following.customerId, [following])
  }
  for (let turn = 0; byCustomer.size > 0; turn += 1) {
    for (const [customerId, own] of byCustomer) {
      const following = own[turn]
      if (following) yield following
      else byCustomer.delete(customerId)
    }
  }
}
