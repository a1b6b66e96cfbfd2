// A retry budget for what must not be lost, such as the result of a call: it lasts as long as the database is away.
import { defaultRetryBudget, type RetryBudget } from './database.ts'

/** Less than the time that `log_batches` keeps the outcome of a batch. */
const ambiguousMs = 50 * 60_000

export class OutageRetryBudget implements RetryBudget {
  #isOver = false

  /** Call it on shutdown: from now on, the usual limits apply, also to attempts that have begun. */
  end(): void {
    this.#isOver = true
  }

  get ms(): number {
    return this.#isOver ? defaultRetryBudget.ms : Number.POSITIVE_INFINITY
  }

  get ambiguousMs(): number {
    return this.#isOver ? defaultRetryBudget.ambiguousMs : ambiguousMs
  }
}
