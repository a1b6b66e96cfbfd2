// The slots of a process: how many runs of each class may take, so that long runs never block short ones, and how many
// each customer holds.
import type { RunClass } from '@runwright/contract'
import { runClasses } from '@runwright/contract'
import type { Holding, Lane } from '../store/run-log/run-claimer.ts'

/** The share of all slots that runs of a class and of all longer classes may take together. */
const largestShare: Readonly<Record<RunClass, number>> = { short: 1, default: 0.75, long: 0.5 }
const longer: Readonly<Record<RunClass, readonly RunClass[]>> = {
  short: ['short', 'default', 'long'],
  default: ['default', 'long'],
  long: ['long'],
}

/** The lane of short runs has all slots, and the runs of every class count in it. */
export const everyPlace = 'short' satisfies RunClass

/** Whether runs of the class count against the limit of the lane. */
export const countsIn = (lane: RunClass, runClass: RunClass): boolean => longer[lane].includes(runClass)

type Count = Record<RunClass, number>
const none = (): Count => ({ default: 0, short: 0, long: 0 })

export class Lanes {
  #slots: number
  readonly #taken = none()
  readonly #held = new Map<string, Count>()
  readonly #afterCustomer: Record<RunClass, string> = { default: '', short: '', long: '' }

  constructor(slots: number) {
    this.#slots = slots
  }

  /** Runs that take more slots than these keep them. */
  resize(slots: number): void {
    this.#slots = slots
  }

  /** How many slots the runs of each class take. */
  get taken(): Readonly<Count> {
    return this.#taken
  }

  get free(): number {
    return this.roomIn(everyPlace)
  }

  take(runClass: RunClass, customerId: string): void {
    this.#taken[runClass] += 1
    const held = this.#held.get(customerId) ?? none()
    held[runClass] += 1
    this.#held.set(customerId, held)
  }

  release(runClass: RunClass, customerId: string): void {
    this.#taken[runClass] -= 1
    const held = this.#held.get(customerId) ?? none()
    held[runClass] -= 1
    if (sumIn(everyPlace, held) === 0) this.#held.delete(customerId)
  }

  /**
   * What may be claimed now. The sum of all lanes may exceed the free slots; the claim never takes more than those.
   */
  open(): Lane[] {
    const { free } = this
    return runClasses
      .map((runClass) => ({
        runClass,
        slots: Math.min(free, this.roomIn(runClass)),
        afterCustomer: this.#afterCustomer[runClass],
      }))
      .filter(({ slots }) => slots > 0)
  }

  /** The next claim starts after this customer. */
  served(runClass: RunClass, lastCustomer: string): void {
    this.#afterCustomer[runClass] = lastCustomer
  }

  limitOf(lane: RunClass): number {
    return Math.max(1, Math.floor(this.#slots * largestShare[lane]))
  }

  roomIn(lane: RunClass): number {
    return this.limitOf(lane) - sumIn(lane, this.#taken)
  }

  /** Whether a run of any class could be taken. */
  get hasRoomInAll(): boolean {
    return runClasses.every((lane) => Math.min(this.free, this.roomIn(lane)) > 0)
  }

  heldIn(lane: RunClass, customerId: string): number {
    const held = this.#held.get(customerId)
    return held ? sumIn(lane, held) : 0
  }

  customersIn(lane: RunClass): string[] {
    return [...this.#held].filter(([, held]) => sumIn(lane, held) > 0).map(([customerId]) => customerId)
  }

  /** Whether a customer holds more than one slot. */
  get hasLargeHolder(): boolean {
    return [...this.#held.values()].some((held) => sumIn(everyPlace, held) > 1)
  }

  holdings(): Holding[] {
    return [...this.#held].map(([customerId, held]) => {
      const inLane = { short: sumIn('short', held), default: sumIn('default', held), long: sumIn('long', held) }
      return { customerId, inLane }
    })
  }
}

const sumIn = (lane: RunClass, counts: Readonly<Count>): number =>
  longer[lane].reduce((sum, runClass) => sum + counts[runClass], 0)
