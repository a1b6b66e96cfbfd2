// Renews the leases of all runs that this process executes, in one statement. A run whose lease is not confirmed in
// time is given up before another process can claim it. But while the database is away, no run is given up: the epoch
// decides whose run it is when the database is back, and the results of its calls are not lost. No call leaves the
// process in that time: a lease is held only for two thirds of its time after a renewal that was confirmed. While the
// event loop is late, a thread beside it renews the leases.
import { type Moment, momentNow } from '../runtime/moment.ts'
import { isServerAway } from '../store/postgres/errors.ts'
import type { LeaseThread } from '../store/run-log/lease-thread.ts'
import type { Renewal, RenewedLease } from '../store/run-log/renewal.ts'
import type { RunClaimer } from '../store/run-log/run-claimer.ts'
import type { Lease } from './context/lease.ts'
import { LeaseDeadline } from './lease-deadline.ts'

export interface HeldRun {
  readonly customerId: string
  readonly epoch: number
  /** The time left for the step that has to end first. */
  stepMsLeft(): number | undefined
  /** Another worker holds the lease, or the run has ended. */
  lost(): void
  /** The customer leaves for another cell. Called with every renewal. */
  handOver(): void
  /** The lease could not be renewed in time, although the database answers, or the process stood still. */
  giveUp(): void
}

interface Held {
  readonly run: HeldRun
  readonly deadline: LeaseDeadline
}

export class LeaseKeeper {
  readonly #claimer: RunClaimer
  readonly #holdMs: number
  readonly #thread: LeaseThread | undefined
  readonly #held = new Map<string, Held>()
  #renewing: Promise<void> | undefined
  #awayUntil = Number.NEGATIVE_INFINITY
  #givenUp = 0

  constructor(claimer: RunClaimer, leaseMs: number, thread?: LeaseThread) {
    this.#claimer = claimer
    this.#holdMs = (leaseMs * 2) / 3
    this.#thread = thread
    thread?.onRenewed(({ asked, ours, sentAt }) => {
      for (const { runId, epoch } of asked) this.#confirm(runId, epoch, { lease: ours.get(runId), sentAt })
    })
  }

  /** `claimedAt` is when the claim was sent, which is before its lease started. */
  hold(runId: string, run: HeldRun, claimedAt: Moment): Lease {
    // The run was lost and claimed again before this process noticed.
    this.#held.get(runId)?.deadline.end()
    const deadline = new LeaseDeadline({
      claimedAt,
      holdMs: this.#holdMs,
      renew: () => this.#renewNow(),
      giveUp: () => {
        this.#givenUp += 1
        deadline.end()
        run.giveUp()
      },
      catchUp: () => this.#thread?.catchUp(),
    })
    this.#held.set(runId, { run, deadline })
    return deadline
  }

  release(runId: string, epoch: number): void {
    const held = this.#held.get(runId)
    if (held?.run.epoch !== epoch) return
    held.deadline.end()
    this.#held.delete(runId)
  }

  /** The process stood still, so any run may have another worker by now. Aborts all executions at once. */
  giveUpAll(): void {
    this.#givenUp += this.#held.size
    for (const { run, deadline } of this.#held.values()) {
      deadline.end()
      run.giveUp()
    }
    this.#thread?.goOnWith([])
  }

  /** How many leases were given up since the last call. */
  takeGivenUp(): number {
    const count = this.#givenUp
    this.#givenUp = 0
    return count
  }

  /** For all that ask at the same time, one statement. */
  #renewNow(): Promise<void> {
    this.#renewing ??= this.runOnce()
      .then(
        () => undefined,
        // Who asked looks at the lease again.
        () => undefined,
      )
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }

  async runOnce(): Promise<{ renewed: number }> {
    const asked = this.#listHeld()
    if (asked.length === 0) {
      this.#thread?.goOnWith([])
      return { renewed: 0 }
    }
    const sentAt = momentNow()
    const ours = await this.#renew(asked)
    this.#thread?.goOnWith(this.#listHeld())
    for (const { runId, epoch } of asked) this.#confirm(runId, epoch, { lease: ours.get(runId), sentAt })
    return { renewed: ours.size }
  }

  /** Without those that were given up: another worker is to have them. */
  #listHeld(): Renewal[] {
    return [...this.#held]
      .filter(([, { deadline }]) => !deadline.isOver)
      .map(([runId, { run }]) => ({ runId, customerId: run.customerId, epoch: run.epoch, stepMs: run.stepMsLeft() }))
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
    this.#thread?.catchUp()
    if (this.#findOverdue().length === 0) return
    const isReachable = await this.#claimer.isReachable()
    if (!isReachable) this.#awayUntil = performance.now()
    const overdue = this.#findOverdue()
    this.#givenUp += overdue.length
    for (const run of overdue) run.giveUp()
  }

  #findOverdue(): HeldRun[] {
    const now = performance.now()
    const isOverdue = ({ deadline: { confirmedAt } }: Held) =>
      now - Math.max(confirmedAt.monotonicMs, this.#awayUntil) > this.#holdMs
    return [...this.#held.values()].filter(isOverdue).map(({ run }) => run)
  }

  #confirm(runId: string, epoch: number, { lease, sentAt }: { lease: RenewedLease | undefined; sentAt: Moment }): void {
    const held = this.#held.get(runId)
    // The run may have been released and claimed again in the meantime.
    if (held?.run.epoch !== epoch) return
    if (lease) held.deadline.confirm(sentAt)
    else {
      held.deadline.end()
      held.run.lost()
    }
    if (lease?.isLeaving) held.run.handOver()
  }
}
