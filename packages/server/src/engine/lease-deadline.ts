// Until when a process may act for a run: two thirds of the lease, counted from when the last confirmed renewal was
// sent. The rest of the lease is for what was sent just before.
import { type Moment, msSince } from '../runtime/moment.ts'
import type { Lease } from './context/lease.ts'

export class LeaseDeadline implements Lease {
  readonly claimedAt: Moment
  readonly holdMs: number
  readonly renew: () => Promise<void>
  readonly giveUp: () => void
  readonly #catchUp: () => void
  #confirmedAt: Moment
  #isOver = false

  /** `catchUp` hears of renewals that were confirmed while the event loop did not turn. */
  constructor({ claimedAt, holdMs, renew, giveUp, catchUp }: Omit<Lease, 'isHeld'> & { readonly catchUp: () => void }) {
    this.claimedAt = claimedAt
    this.holdMs = holdMs
    this.renew = renew
    this.giveUp = giveUp
    this.#catchUp = catchUp
    this.#confirmedAt = claimedAt
  }

  get confirmedAt(): Moment {
    return this.#confirmedAt
  }

  /** `sentAt` is when the renewal was sent, not when it was answered. Answers may come out of order. */
  confirm(sentAt: Moment): void {
    if (sentAt.monotonicMs > this.#confirmedAt.monotonicMs) this.#confirmedAt = sentAt
  }

  /** The run is lost, given up or released. No later confirmation counts. */
  end(): void {
    this.#isOver = true
  }

  get isOver(): boolean {
    return this.#isOver
  }

  isHeld(): boolean {
    if (!this.#isRecent) this.#catchUp()
    return !this.#isOver && this.#isRecent
  }

  get #isRecent(): boolean {
    return msSince(this.#confirmedAt) < this.holdMs
  }
}
