// The lease of a run as its execution sees it.
import { type Moment, momentNow } from '../../runtime/moment.ts'

export interface Lease {
  /** When the claim was sent. By the database's clock, the run was claimed after it. */
  readonly claimedAt: Moment
  /** How long a confirmation counts: two thirds of the lease. */
  readonly holdMs: number
  /**
   * Whether a renewal was confirmed recently enough that no other worker can have the run. Synchronous, so that it can
   * be the last thing before bytes leave the process: between a look and what follows an `await`, a process can be
   * paused for any time.
   */
  isHeld(): boolean
  /** The execution ends, and the run goes on with a new claim. */
  giveUp(): void
  /** Asks the database at once. Resolves when it has answered, or cannot. */
  renew(): Promise<void>
}

/** For an execution that no other worker can have, such as a replay. */
export const permanentLease = (): Lease => ({
  claimedAt: momentNow(),
  holdMs: Number.POSITIVE_INFINITY,
  isHeld: () => true,
  giveUp: () => undefined,
  renew: async () => undefined,
})
