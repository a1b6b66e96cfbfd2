// Keeps suspects apart: runs whose workers have vanished again and again. This process executes one at a time, until it
// has finished a step. While a run must be alone, nothing else is claimed. See docs/decisions/0023.
import { type ClaimedRun, noSuspects, type SuspectRule } from '../store/run-log/run-claimer.ts'

/** The least time between two looks for a suspect. */
const lookPauseMs = 1_000
/** A worker that executes other runs leaves a run that must be alone to an idle worker for this time. */
const leftToIdleMs = 10_000

type Suspect = Pick<ClaimedRun, 'id' | 'lostWorkers'>

export class Isolation {
  readonly #rule: SuspectRule
  #suspect: Suspect | undefined
  #nextLookAt = Number.NEGATIVE_INFINITY

  constructor(rule: SuspectRule) {
    this.#rule = rule
  }

  /** Whether no other run may be claimed. */
  get isClosed(): boolean {
    return this.#suspect !== undefined && this.mustBeAlone(this.#suspect)
  }

  mustBeAlone({ lostWorkers }: Pick<ClaimedRun, 'lostWorkers'>): boolean {
    return lostWorkers >= this.#rule.aloneFrom
  }

  /**
   * Whether to look for a suspect now. Returns how long one that must be alone has been left to others, undefined if it
   * is too early for a look, or if this process executes one.
   */
  nextLook(isIdle: boolean): { readonly aloneAfterMs: number } | undefined {
    const now = performance.now()
    if (this.#rule === noSuspects || this.#suspect || now < this.#nextLookAt) return undefined
    this.#nextLookAt = now + lookPauseMs
    return { aloneAfterMs: isIdle ? 0 : leftToIdleMs }
  }

  enter(suspect: Suspect): void {
    this.#suspect = suspect
  }

  /** The run has finished a step, or is not executed here any more. Returns whether it was kept apart. */
  leave(runId: string): boolean {
    if (this.#suspect?.id !== runId) return false
    this.#suspect = undefined
    this.#nextLookAt = Number.NEGATIVE_INFINITY
    return true
  }
}
