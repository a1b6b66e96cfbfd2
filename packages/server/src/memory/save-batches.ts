// Saves notes in batches: those of one customer that arrive while a transaction is in flight share the next one.
// Otherwise each would wait for the customer's lock with a connection of its own.
import { GroupCommit } from '../runtime/batcher.ts'
import { type NewMemoryItem, saveMemoryItems } from '../store/memory/save.ts'
import type { Database } from '../store/postgres/database.ts'
import { isBadRow } from '../store/postgres/errors.ts'
import { findRepeats } from './find-repeats.ts'
import type { NearestItems } from './search/nearest-items.ts'

/** Saves of one customer. */
type Batch = readonly NewMemoryItem[]

/** By id: the saves that failed, and why. */
type Failures = ReadonlyMap<string, Error>

const maxBatch = 100
const maxBatchBytes = 4 * 1024 * 1024

export class SaveBatches {
  readonly #database: Database
  readonly #nearest: NearestItems
  readonly #batches: GroupCommit<Batch, Failures>

  constructor(database: Database, nearest: NearestItems) {
    this.#database = database
    this.#nearest = nearest
    this.#batches = new GroupCommit<Batch, Failures>({
      commit: async ([batch = []]) => [await this.#commit(batch)],
      keyOf: ([first]) => first?.customerId ?? '',
      merge: (earlier, later) => (fitsTogether(earlier, later) ? [...earlier, ...later] : undefined),
      // A flush has the batch of one customer; two customers are saved at the same time.
      maxItems: 1,
      lanes: 2,
      nextLaneAbove: 0,
    })
  }

  async save(item: NewMemoryItem): Promise<void> {
    const failures = await this.#batches.submit([item])
    const failure = failures.get(item.id)
    if (failure) throw failure
  }

  /** If PostgreSQL refuses a row, each save is repeated alone, so that only the refused one fails. */
  async #commit(batch: Batch): Promise<Failures> {
    try {
      await this.#saveTogether(batch)
      return new Map()
    } catch (error) {
      if (!isBadRow(error) || batch.length === 1) throw error
    }
    const failures = new Map<string, Error>()
    for (const item of batch) {
      await this.#saveTogether([item]).catch((error: Error) => failures.set(item.id, error))
    }
    return failures
  }

  async #saveTogether(batch: Batch): Promise<void> {
    const customerId = batch[0]?.customerId
    if (customerId !== undefined && batch.some(({ embedding }) => embedding))
      await this.#nearest.prepare(this.#database, customerId)
    await saveMemoryItems(this.#database, batch, (items, locked) => findRepeats(this.#nearest, items, locked))
  }
}

const fitsTogether = (one: Batch, other: Batch): boolean =>
  one.length + other.length <= maxBatch && bytesOf(one) + bytesOf(other) <= maxBatchBytes

const bytesOf = (batch: Batch): number => batch.reduce((sum, { content }) => sum + content.length, 0)
