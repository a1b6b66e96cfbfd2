// Folds usage deltas into the totals. Several processes may do it at once.
import type { Database } from '../store/postgres/database.ts'
import { foldDeltas, vacuumDeltas } from '../store/usage/fold.ts'

const batchSize = 2_000
const batchesPerRun = 50
const vacuumAfter = 20_000

export class UsageFolder {
  readonly #database: Database
  #foldedSinceVacuum = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Folds a limited number of deltas; the next call continues. */
  async runOnce(): Promise<{ folded: number }> {
    let folded = 0
    for (let batch = 0; batch < batchesPerRun; batch += 1) {
      const taken = await foldDeltas(this.#database, batchSize)
      folded += taken
      if (taken < batchSize) break
    }
    await this.#vacuumNowAndThen(folded)
    return { folded }
  }

  async #vacuumNowAndThen(folded: number): Promise<void> {
    this.#foldedSinceVacuum += folded
    if (this.#foldedSinceVacuum < vacuumAfter) return
    this.#foldedSinceVacuum = 0
    await vacuumDeltas(this.#database)
  }
}
