// Renews the leases of all runs that this process executes, in one statement. A run whose lease is not confirmed in
// time is given up before another process can claim it. But while the database is away, no run is given up: the epoch
// decides whose run it is when the database is back, and the results of its calls are not lost.
import { isServerAway } from '../store/postgres/errors.ts'
import type { Renewal, RenewedLease, RunClaimer } from '../store/run-log/run-claimer.ts'

export interface HeldRun {
  readonly customerId: string
  readonly epoch: number
  /** The time left for the step that has to end first. */
  stepMsLeft(): number | undefined
  /** Another worker holds the lease, or the run has ended. */
  lost(): void
  /** The customer leaves for another cell. Called with every renewal. */
  handOver(): void
  /** The lease could not be renewed in time, although the database answers. */
  giveUp(): void
}

interface Held {
  readonly run: HeldRun
  confirmedAt: number
}

export class LeaseKeeper {
  readonly #claimer: RunClaimer
  readonly #leaseMs: number
  readonly #held = new Map<string, Held>()
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor(claimer: RunClaimer, leaseMs: number) {
    this.#claimer = claimer
    this.#leaseMs = leaseMs
  }

  /** `claimedAt` is when the claim was sent, which is before its lease started. */
  hold(runId: string, run: HeldRun, claimedAt: number): void {
    this.#held.set(runId, { run, confirmedAt: claimedAt })
  }

  release(runId: string, epoch: number): void {
    if (this.#held.get(runId)?.run.epoch === epoch) this.#held.delete(runId)
  }

  async runOnce(): Promise<{ renewed: number }> {
    if (this.#held.size === 0) return { renewed: 0 }
    const asked = [...this.#held].map(([runId, { run }]) => {
      return { runId, customerId: run.customerId, epoch: run.epoch, stepMs: run.stepMsLeft() }
    })
    const sentAt = performance.now()
    const ours = await this.#renew(asked)
    for (const { runId, epoch } of asked) this.#confirm(runId, epoch, { lease: ours.get(runId), sentAt })
    return { renewed: ours.size }
  }

  async #renew(asked: readonly Renewal[]): Promise<Map<string, RenewedLease>> {
    try {
      return await this.#claimer.renew(asked)
    } catch (error) {
      if (isServerAway(error)) this.#awayUntil = performance.now()
      throw error
    }
  }

  /** Call it often, also while the database does not answer. The time without a database does not count. */
  async giveUpOverdue(): Promise<void> {
    if (this.#findOverdue().length === 0) return
    const isReachable = await this.#claimer.isReachable()
    if (!isReachable) this.#awayUntil = performance.now()
    for (const run of this.#findOverdue()) run.giveUp()
  }

  #findOverdue(): HeldRun[] {
    const now = performance.now()
    const isOverdue = ({ confirmedAt }: Held) => now - Math.max(confirmedAt, this.#awayUntil) > (this.#leaseMs * 2) / 3
    return [...this.#held.values()].filter(isOverdue).map(({ run }) => run)
  }

  #confirm(runId: string, epoch: number, { lease, sentAt }: { lease: RenewedLease | undefined; sentAt: number }): void {
    const held = this.#held.get(runId)
    // The run may have been released and claimed again in the meantime.
    if (held?.run.epoch !== epoch) return
    if (lease) held.confirmedAt = sentAt
    else held.run.lost()
    if (lease?.isLeaving) held.run.handOver()
  }
}
