// The time of a run: how long it has existed, and how long it may still take.
import { msSince } from '../../runtime/moment.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { Lease } from './lease.ts'

export class RunClock {
  readonly #durationSeconds: number
  /** The age of the run at the claim, by the database's clock. */
  readonly #claimedAfterMs: number
  readonly #claimedAt = performance.now()
  readonly #lease: Pick<Lease, 'claimedAt'>

  constructor({ durationSeconds, remainingMs }: ClaimedRun, lease: Pick<Lease, 'claimedAt'>) {
    this.#durationSeconds = durationSeconds
    this.#claimedAfterMs = durationSeconds * 1000 - remainingMs
    this.#lease = lease
  }

  /**
   * Time since the run was created: by the database's clock up to the claim, by this process's clock after it. The
   * answer to the claim took time, so this is never more than the database's own.
   */
  get elapsedMs(): number {
    return this.#claimedAfterMs + performance.now() - this.#claimedAt
  }

  /** The most that it can be by the database's clock, which was read after the claim was sent. */
  get elapsedAtMostMs(): number {
    return this.#claimedAfterMs + msSince(this.#lease.claimedAt)
  }

  /** For the event of a run that exceeded its duration: never less than the limit. */
  elapsedSeconds(): number {
    return Math.max(this.#durationSeconds, Math.round(this.elapsedMs) / 1000)
  }

  get secondsLeft(): number {
    return this.#durationSeconds - this.elapsedMs / 1000
  }
}
