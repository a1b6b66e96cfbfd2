// Appends recorded acts to the audit chains. Several processes may do it at once.
import { chainActs, vacuumQueue } from '../store/audit/chain-acts.ts'
import type { Database } from '../store/postgres/database.ts'

/** Small, because requests wait while its hashes are computed. */
const batchSize = 200
const batchesPerRun = 500
const vacuumAfter = 20_000

export class AuditChainer {
  readonly #database: Database
  #chainedSinceVacuum = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Appends a limited number of acts, none after an abort; the next call continues. */
  async runOnce(signal?: AbortSignal): Promise<{ chained: number }> {
    let chained = 0
    for (let batch = 0; batch < batchesPerRun && !signal?.aborted; batch += 1) {
      const taken = await chainActs(this.#database, batchSize)
      chained += taken
      if (taken < batchSize) break
    }
    await this.#vacuumNowAndThen(chained)
    return { chained }
  }

  async #vacuumNowAndThen(chained: number): Promise<void> {
    this.#chainedSinceVacuum += chained
    if (this.#chainedSinceVacuum < vacuumAfter) return
    this.#chainedSinceVacuum = 0
    await vacuumQueue(this.#database)
  }
}
