// Keeps one customer from queueing without bound. Between counts the estimate can only be too high (runs leave the
// queue), so the database is asked only when the limit seems reached, or before other processes could have filled the
// remaining room. Counting a long queue takes a while; creates do not wait for it as long as there seems to be room.
import { ServiceError } from '../domain/service-error.ts'
import type { Database } from '../store/postgres/database.ts'
import { countQueued } from '../store/runs/queue.ts'

interface Estimate {
  queued: number
  readonly countedAt: number
  readonly tookMs: number
}

/** What is known about one customer's queue. */
interface Queue {
  estimate?: Estimate
  /** The running count. */
  counting?: Promise<Estimate> | undefined
  /** Runs that are being created. */
  pending: number
  /** Runs created since the running count started, which may have missed them. */
  createdMeanwhile: number
}

/** A place in the queue for a run that is being created. Its holder reports whether the run was created. */
interface Reservation {
  release(created: boolean): void
}

const freeOfCharge: Reservation = { release: () => undefined }
const retryAfterSeconds = 5

/** Far more than all other processes together create for one customer in a millisecond. */
const mostPerMs = 50

export class QueueLimit {
  readonly #database: Database
  readonly #limit: number
  readonly #queues = new Map<string, Queue>()

  /** A `limit` of 0 means no limit. */
  constructor(database: Database, limit: number) {
    this.#database = database
    this.#limit = limit
  }

  /** Reserves room for one more run, synchronously while the estimate is good. Undefined if there is no room. */
  reserve(customerId: string): Reservation | undefined | Promise<Reservation | undefined> {
    if (this.#limit === 0) return freeOfCharge
    const queue = this.#queueOf(customerId)
    const { estimate } = queue
    if (!estimate || !this.#hasRoom(estimate)) return this.#countAndReserve(customerId, queue)
    if (!this.#isFresh(estimate)) {
      if (!this.#isGood(estimate)) return this.#countAndReserve(customerId, queue)
      // Creates do not wait. If the count fails, the next create tries again.
      this.#count(customerId, queue).catch(() => undefined)
    }
    return take(queue, estimate)
  }

  async #countAndReserve(customerId: string, queue: Queue): Promise<Reservation | undefined> {
    const known = queue.estimate
    let estimate = known && this.#isGood(known) ? known : await this.#count(customerId, queue)
    if (!this.#hasRoom(estimate) && isOutdated(estimate)) estimate = await this.#count(customerId, queue)
    return this.#hasRoom(estimate) ? take(queue, estimate) : undefined
  }

  /** Counts once for all concurrent callers. */
  #count(customerId: string, queue: Queue): Promise<Estimate> {
    queue.counting ??= this.#countNow(customerId, queue).finally(() => {
      queue.counting = undefined
    })
    return queue.counting
  }

  /** Runs that are being created count as queued, and so do those that the count may have missed. */
  async #countNow(customerId: string, queue: Queue): Promise<Estimate> {
    queue.createdMeanwhile = 0
    const start = performance.now()
    const counted = await countQueued(this.#database, customerId, this.#limit)
    const countedAt = performance.now()
    const queued = counted + queue.pending + queue.createdMeanwhile
    queue.estimate = { queued, countedAt, tookMs: countedAt - start }
    return queue.estimate
  }

  #hasRoom({ queued }: Estimate): boolean {
    return queued < this.#limit
  }

  #isFresh(estimate: Estimate): boolean {
    return ageMs(estimate) < this.#freshMs(estimate)
  }

  /** Good enough to use while a new count runs. An estimate that was not used for a long time is not. */
  #isGood(estimate: Estimate): boolean {
    return ageMs(estimate) < 2 * this.#freshMs(estimate)
  }

  /** Expensive counts run less often, and so do those far from the limit. */
  #freshMs({ queued, tookMs }: Estimate): number {
    return Math.max(1_000, 100 * tookMs, (this.#limit - queued) / mostPerMs)
  }

  #queueOf(customerId: string): Queue {
    const known = this.#queues.get(customerId)
    if (known) return known
    const queue = { pending: 0, createdMeanwhile: 0 }
    this.#queues.set(customerId, queue)
    return queue
  }
}

function take(queue: Queue, estimate: Estimate): Reservation {
  estimate.queued += 1
  queue.pending += 1
  return {
    release: (created) => {
      queue.pending -= 1
      if (created) queue.createdMeanwhile += 1
      else if (queue.estimate) queue.estimate.queued -= 1
    },
  }
}

const ageMs = ({ countedAt }: Estimate): number => performance.now() - countedAt

/** At the limit, a cheap count is repeated for every request and an expensive one only after a while. */
const isOutdated = (estimate: Estimate): boolean => ageMs(estimate) > 20 * estimate.tookMs

export const queueLimitReached = (): ServiceError =>
  new ServiceError(
    'QUEUE_LIMIT_REACHED',
    'This customer has reached its limit of queued runs; retry when some of them have started.',
    retryAfterSeconds,
  )
