// Decides which runs give their slot back while other customers wait. A customer's share of a lane is its slots
// divided by the customers that have work in it, at least one. A run yields if its customer holds more than the share
// and the lane has fewer free slots than the customers below their share need.
//
// A slot that was given back goes to a customer below its share, because claims serve the customers with the fewest
// slots first. So runs do not go back and forth: who yields keeps its share, and who gets the slot is not above it.
import { type RunClass, runClasses } from '@runwright/contract'
import { customersPerVisit } from '../store/run-log/ready-customers.ts'
import type { ClaimedRun, Lane, WaitingCustomer } from '../store/run-log/run-claimer.ts'
import { countsIn, everyPlace, type Lanes } from './lanes.ts'

export class FairShares {
  readonly #lanes: Lanes
  #waiting: readonly WaitingCustomer[] = []
  readonly #lookAfter: Record<RunClass, string> = { default: '', short: '', long: '' }

  constructor(lanes: Lanes) {
    this.#lanes = lanes
  }

  /** The lanes of these classes as a look at the queue takes them. */
  lanesOf(classes: readonly RunClass[]): Lane[] {
    return classes.map((runClass) => ({
      runClass,
      slots: this.#lanes.limitOf(runClass),
      afterCustomer: this.#lookAfter[runClass],
    }))
  }

  /** Notes who waits. It replaces what was known. When there are more customers, the next look goes on behind these. */
  see(waiting: readonly WaitingCustomer[]): void {
    this.#waiting = waiting
    for (const runClass of runClasses) {
      const found = waiting.filter((customer) => customer.runClass === runClass)
      this.#lookAfter[runClass] = found.length < customersPerVisit ? '' : (found.at(-1)?.customerId ?? '')
    }
  }

  /** These runs do not wait any more. */
  claimed(runs: readonly ClaimedRun[]): void {
    if (this.#waiting.length === 0) return
    const countOf = ({ runClass, customerId }: WaitingCustomer) =>
      runs.filter((run) => run.runClass === runClass && run.customerId === customerId).length
    this.#waiting = this.#waiting
      .map((customer) => ({ ...customer, runs: customer.runs - countOf(customer) }))
      .filter((customer) => customer.runs > 0)
  }

  /** Whether a run of this customer and class is to give its slot back. */
  mustYield({ customerId, runClass }: Pick<ClaimedRun, 'customerId' | 'runClass'>): boolean {
    if (this.#waiting.length === 0 || this.#lanes.heldIn(everyPlace, customerId) <= 1) return false
    return runClasses.some(
      (lane) =>
        countsIn(lane, runClass) &&
        this.#lanes.heldIn(lane, customerId) > this.#shareOf(lane) &&
        this.#lanes.roomIn(lane) < this.#neededIn(lane),
    )
  }

  #shareOf(lane: RunClass): number {
    const waiting = this.#waiting.filter(({ runClass }) => countsIn(lane, runClass))
    const customers = new Set([...this.#lanes.customersIn(lane), ...waiting.map(({ customerId }) => customerId)])
    return Math.max(1, Math.floor(this.#lanes.limitOf(lane) / customers.size))
  }

  /** How many more slots of the lane are due to customers that wait and are below their share of it. */
  #neededIn(lane: RunClass): number {
    if (lane !== everyPlace) return this.#missing(lane, lane)
    // A run whose own lane is full could not use the slot.
    const usable = (runClass: RunClass) =>
      runClass === everyPlace ? Number.POSITIVE_INFINITY : Math.max(0, this.#lanes.roomIn(runClass))
    return runClasses.reduce((sum, runClass) => sum + Math.min(usable(runClass), this.#missing(runClass, lane)), 0)
  }

  /** The slots of the lane that waiting runs of the class need until their customers have their shares. */
  #missing(runClass: RunClass, lane: RunClass): number {
    const share = this.#shareOf(lane)
    return this.#waiting
      .filter((customer) => customer.runClass === runClass)
      .map(({ customerId, runs }) => Math.min(runs, Math.max(0, share - this.#lanes.heldIn(lane, customerId))))
      .reduce((sum, count) => sum + count, 0)
  }
}
