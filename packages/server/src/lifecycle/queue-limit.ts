// Keeps one customer from queueing without bound. Between counts the number can only be too high (runs leave the queue),
// so the database is asked only when the limit seems reached, or now and then because other processes create runs too.
import { ServiceError } from '../domain/service-error.ts'
import type { Database } from '../store/database.ts'
import { countQueued } from '../store/queue.ts'

interface Estimate {
  queued: number
  readonly countedAt: number
  readonly tookMs: number
}

/** A place in the queue that is being filled; its holder says whether a run took it. */
export interface Reservation {
  settle(created: boolean): void
}

const freeOfCharge: Reservation = { settle: () => undefined }
const retryAfterSeconds = 5

export class QueueLimit {
  readonly #database: Database
  readonly #limit: number
  readonly #estimates = new Map<string, Estimate>()
  readonly #counting = new Map<string, Promise<Estimate>>()
  readonly #pending = new Map<string, number>()

  /** `limit` 0: no limit. */
  constructor(database: Database, limit: number) {
    this.#database = database
    this.#limit = limit
  }

  /** Room for one more run of the customer, at once while the estimate is good; undefined when there is none. */
  reserve(customerId: string): Reservation | undefined | Promise<Reservation | undefined> {
    if (this.#limit === 0) return freeOfCharge
    const estimate = this.#estimates.get(customerId)
    const hasRoom = estimate && isFresh(estimate) && estimate.queued < this.#limit
    return hasRoom ? this.#take(customerId, estimate) : this.#countAndReserve(customerId)
  }

  async #countAndReserve(customerId: string): Promise<Reservation | undefined> {
    const known = this.#estimates.get(customerId)
    let estimate = known && isFresh(known) ? known : await this.#count(customerId)
    if (estimate.queued >= this.#limit && isOutdated(estimate)) estimate = await this.#count(customerId)
    return estimate.queued >= this.#limit ? undefined : this.#take(customerId, estimate)
  }

  #take(customerId: string, estimate: Estimate): Reservation {
    estimate.queued += 1
    this.#addPending(customerId, 1)
    return { settle: (created) => this.#settle(customerId, created) }
  }

  #settle(customerId: string, created: boolean): void {
    this.#addPending(customerId, -1)
    const estimate = this.#estimates.get(customerId)
    if (estimate && !created) estimate.queued -= 1
  }

  /** Counts, once for all who ask meanwhile; what is being created now counts as queued. */
  #count(customerId: string): Promise<Estimate> {
    const underWay = this.#counting.get(customerId)
    if (underWay) return underWay
    const counting = this.#countNow(customerId).finally(() => this.#counting.delete(customerId))
    this.#counting.set(customerId, counting)
    return counting
  }

  async #countNow(customerId: string): Promise<Estimate> {
    const start = performance.now()
    const queued = await countQueued(this.#database, customerId, this.#limit)
    const countedAt = performance.now()
    const pending = this.#pending.get(customerId) ?? 0
    const estimate = { queued: queued + pending, countedAt, tookMs: countedAt - start }
    this.#estimates.set(customerId, estimate)
    return estimate
  }

  #addPending(customerId: string, change: number): void {
    const pending = (this.#pending.get(customerId) ?? 0) + change
    if (pending === 0) this.#pending.delete(customerId)
    else this.#pending.set(customerId, pending)
  }
}

const isFresh = ({ countedAt, tookMs }: Estimate): boolean =>
  performance.now() - countedAt < Math.max(1_000, 100 * tookMs)

/** Cheap counts are made again for every request at the limit, dear ones only when they have aged. */
const isOutdated = ({ countedAt, tookMs }: Estimate): boolean => performance.now() - countedAt > 20 * tookMs

export const queueLimitReached = (): ServiceError =>
  new ServiceError(
    'QUEUE_LIMIT_REACHED',
    'This customer has as many runs queued as are allowed; wait until some have started.',
    retryAfterSeconds,
  )
