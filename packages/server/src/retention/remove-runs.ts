// Removes runs that are past their retention, in small batches. Between two batches it rests four times as long as the
// batch took: it uses at most a fifth of one connection, and less when the database is busy.
import type { RetentionDays } from '../domain/run/retention.ts'
import { sleep } from '../runtime/backoff.ts'
import type { Database } from '../store/postgres/database.ts'
import { removeEndedRuns } from '../store/run-log/remove-runs.ts'
import { forgetRemovedKeys } from '../store/run-log/removed-keys.ts'
import type { Announce } from '../store/run-log/run-log.ts'
import {
  type ExpiredRun,
  findExpiredRuns,
  findHintedRuns,
  firstPage,
  listRetentions,
  type PagePosition,
} from '../store/runs/expired-runs.ts'
import { removal } from './delete-run.ts'

interface RemoverOptions {
  readonly database: Database
  readonly retention: RetentionDays
  readonly announce: Announce
  /** Asked before each batch: another process may have got the duty. */
  readonly mayContinue: () => boolean
  readonly observer?: RemovalObserver | undefined
  readonly batch?: BatchLimits
  readonly rest?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export interface RemovalObserver {
  /** A batch of so many runs was removed. */
  removed(runs: number): void
  /** All customers were searched. */
  passEnded(): void
}

interface BatchLimits {
  readonly runs: number
  readonly rows: number
}

const defaultBatch: BatchLimits = { runs: 100, rows: 5_000 }
const restFactor = 4

export class RunRemover {
  readonly #options: RemoverOptions
  readonly #batch: BatchLimits
  readonly #rest: NonNullable<RemoverOptions['rest']>

  constructor(options: RemoverOptions) {
    this.#options = options
    this.#batch = options.batch ?? defaultBatch
    this.#rest = options.rest ?? sleep
  }

  /** One pass over all customers. What it cannot finish, the next pass continues. */
  async runOnce(signal?: AbortSignal): Promise<{ removed: number }> {
    const { database, retention, observer } = this.#options
    let removed = 0
    for (const customer of await listRetentions(database, retention)) {
      for (const find of [findExpiredRuns, findHintedRuns]) {
        removed += await this.#removeFound((position) => find(database, customer, position), signal)
      }
    }
    await forgetRemovedKeys(database)
    if (this.#mayContinue(signal)) observer?.passEnded()
    return { removed }
  }

  async #removeFound(
    find: (position: PagePosition) => ReturnType<typeof findExpiredRuns>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let removed = 0
    for (let position: PagePosition | undefined = firstPage; position && this.#mayContinue(signal); ) {
      const { expired, next } = await find(position)
      for (const batch of inBatches(expired, this.#batch)) {
        if (this.#mayContinue(signal)) removed += await this.#removeBatch(batch, signal)
      }
      position = next
    }
    return removed
  }

  async #removeBatch(batch: readonly ExpiredRun[], signal: AbortSignal | undefined): Promise<number> {
    const start = performance.now()
    const removed = await removeEndedRuns(this.#options.database, batch)
    this.#options.announce(removed.map(removal))
    this.#options.observer?.removed(removed.length)
    await this.#rest(restFactor * (performance.now() - start), signal)
    return removed.length
  }

  #mayContinue(signal: AbortSignal | undefined): boolean {
    return !signal?.aborted && this.#options.mayContinue()
  }
}

function* inBatches(runs: readonly ExpiredRun[], limits: BatchLimits): Generator<ExpiredRun[]> {
  let batch: ExpiredRun[] = []
  let rows = 0
  for (const run of runs) {
    if (batch.length > 0 && (batch.length === limits.runs || rows + run.rows > limits.rows)) {
      yield batch
      batch = []
      rows = 0
    }
    batch.push(run)
    rows += run.rows
  }
  if (batch.length > 0) yield batch
}
