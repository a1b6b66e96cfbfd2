// Run classes as lanes: how many places each may take, so that long runs never block short ones.
import type { RunClass } from '@runwright/contract'
import { runClasses } from '@runwright/contract'
import type { Lane } from '../store/run-log/run-claimer.ts'

/** The share of all places that runs of a class and of all longer classes may take together. */
const largestShare: Readonly<Record<RunClass, number>> = { short: 1, default: 0.75, long: 0.5 }
const longer: Readonly<Record<RunClass, readonly RunClass[]>> = {
  short: ['short', 'default', 'long'],
  default: ['default', 'long'],
  long: ['long'],
}

export class Lanes {
  readonly #places: number
  readonly #taken: Record<RunClass, number> = { default: 0, short: 0, long: 0 }
  readonly #afterCustomer: Record<RunClass, string> = { default: '', short: '', long: '' }

  constructor(places: number) {
    this.#places = places
  }

  get free(): number {
    return this.#places - this.#sum(runClasses)
  }

  take(runClass: RunClass): void {
    this.#taken[runClass] += 1
  }

  release(runClass: RunClass): void {
    this.#taken[runClass] -= 1
  }

  /**
   * What may be claimed now. The sum of all lanes may exceed the free places; the claim never takes more than those.
   */
  open(): Lane[] {
    const { free } = this
    return runClasses
      .map((runClass) => ({
        runClass,
        places: Math.min(free, this.#room(runClass)),
        afterCustomer: this.#afterCustomer[runClass],
      }))
      .filter(({ places }) => places > 0)
  }

  /** Continues with the next customers, or from the start when the last ones were served. */
  served(runClass: RunClass, lastCustomer: string | undefined): void {
    this.#afterCustomer[runClass] = lastCustomer ?? ''
  }

  /** True when a lane did not start with the first customer, so earlier customers may have ready runs. */
  get isUnderWay(): boolean {
    return runClasses.some((runClass) => this.#afterCustomer[runClass] !== '')
  }

  #room(runClass: RunClass): number {
    const largest = Math.max(1, Math.floor(this.#places * largestShare[runClass]))
    return largest - this.#sum(longer[runClass])
  }

  #sum(classes: readonly RunClass[]): number {
    return classes.reduce((sum, runClass) => sum + this.#taken[runClass], 0)
  }
}
