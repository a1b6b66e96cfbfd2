// Up to when the queue of each class is known to be empty. A claim begins there instead of at the oldest entry of the
// index: while a snapshot is held, PostgreSQL keeps the entries of all runs that were claimed since, and a claim would
// read past them. See docs/decisions/0017.
import type { RunClass } from '@runwright/contract'

/** A run can become visible later than its `ready_at`: until its transaction is committed, or its lock is released. */
const marginMs = 1_000
/** A run that became visible even later is found by a look at the whole queue. */
const wholeLookEveryMs = 5_000

interface Look {
  /** When the queue was last found empty. */
  readonly emptyAt: number
  /** When the whole queue was last found empty. */
  readonly wholeAt: number
}

export class EmptyQueueHorizon {
  readonly #looks = new Map<RunClass, Look>()

  /** How far back a claim must look, in ms. Null: at the whole queue. */
  lookBackMs(runClass: RunClass, now: number): number | null {
    const look = this.#looks.get(runClass)
    return !look || now - look.wholeAt >= wholeLookEveryMs ? null : now - look.emptyAt + marginMs
  }

  /** A claim that was sent at that time, and looked back that far, left nothing in the queue. */
  found(runClass: RunClass, sentAt: number, lookBackMs: number | null): void {
    const wholeAt = lookBackMs === null ? sentAt : this.#looks.get(runClass)?.wholeAt
    if (wholeAt !== undefined) this.#looks.set(runClass, { emptyAt: sentAt, wholeAt })
  }
}
