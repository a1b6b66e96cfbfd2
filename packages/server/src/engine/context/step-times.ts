// How long the steps that are executing may still take.
import { startTimer } from '../../runtime/backoff.ts'

export interface StepTime {
  /** The time left for the step, in milliseconds. */
  readonly msLeft: () => number
}

interface LimitedTime extends StepTime {
  /** The step has ended. */
  readonly stop: () => void
}

export class StepTimes {
  /** The deadlines, on this process's clock. */
  readonly #ends = new Set<{ readonly at: number }>()

  /** The time left for the step that has to end first; undefined if none is executing. */
  get msLeft(): number | undefined {
    if (this.#ends.size === 0) return undefined
    return Math.min(...[...this.#ends].map(({ at }) => at)) - performance.now()
  }

  /** A step begins. Calls `onTimeout` if it takes longer. */
  begin(seconds: number, onTimeout: () => void): LimitedTime {
    const end = { at: performance.now() + seconds * 1000 }
    this.#ends.add(end)
    const cancel = startTimer(seconds * 1000, onTimeout)
    const stop = () => {
      this.#ends.delete(end)
      cancel()
    }
    return { stop, msLeft: () => end.at - performance.now() }
  }
}
