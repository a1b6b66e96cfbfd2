// Counts and logs what an operator has to look after: the database refuses writes, or a pool has no connection left.
import type { Logger } from '../runtime/logger.ts'
import type { DatabaseTrouble } from '../store/postgres/database.ts'
import type { Metrics } from './metrics.ts'

/** Statements are repeated: one line for each of them would fill the log. */
const quietMs = 10_000

const texts: Readonly<Record<DatabaseTrouble, string>> = {
  disk_full: 'the disk of the database is full: writes are refused until there is room',
  read_only: 'the database is read-only: writes are refused',
  pool_full: 'no connection to the database was free in time: statements of this process hold all of them',
}

interface Watched {
  readonly metrics: Metrics | undefined
  readonly logger: Pick<Logger, 'error'>
}

export class TroubleWatch {
  readonly #options: Watched
  readonly #loggedAt = new Map<DatabaseTrouble, number>()

  constructor(options: Watched) {
    this.#options = options
  }

  /** What a pool calls. */
  of(pool: string): (trouble: DatabaseTrouble) => void {
    return (trouble) => {
      this.#options.metrics?.of.databaseTrouble.inc({ pool, kind: trouble })
      const now = performance.now()
      if (now - (this.#loggedAt.get(trouble) ?? Number.NEGATIVE_INFINITY) < quietMs) return
      this.#loggedAt.set(trouble, now)
      this.#options.logger.error({ pool, reason: trouble }, texts[trouble])
    }
  }
}
