// Notes when the database could not be reached. What expired in that time did not expire by the fault of a worker.
import { isServerAway } from './errors.ts'

export interface Outage {
  /** From the last answer before it to the first answer after it. */
  readonly ms: number
  /** When it ended, on the clock of `performance.now()`. */
  readonly endedAt: number
}

export class OutageWatch {
  #last: Outage | undefined
  #answeredAt = performance.now()
  #isAway = false

  get last(): Outage | undefined {
    return this.#last
  }

  async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      this.#noteAnswer()
      return result
    } catch (error) {
      this.#isAway ||= isServerAway(error)
      throw error
    }
  }

  #noteAnswer(): void {
    const now = performance.now()
    if (this.#isAway) this.#last = { ms: now - this.#answeredAt, endedAt: now }
    this.#isAway = false
    this.#answeredAt = now
  }
}
