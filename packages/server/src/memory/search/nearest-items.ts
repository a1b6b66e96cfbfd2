// Finds the items whose vectors are closest to one: in the cache, or, for a customer with too many to keep, in the database, by
// pgvector where the server has it and page by page where not. All three are exact and agree.
import type { MemoryArea } from '../../store/memory/area.ts'
import { fillPgvector, nearestByPgvector, readUnfilledVectors } from '../../store/memory/pgvector.ts'
import type { MemoryReader } from '../../store/memory/reader.ts'
import { beginning, readVectorChanges, type VectorChange, vectorPageSize } from '../../store/memory/vectors.ts'
import { readMemoryVersion } from '../../store/memory/version.ts'
import { BestNeighbours, CustomerVectors, type Neighbour, type NeighbourQuery } from './customer-vectors.ts'
import type { VectorCache } from './vector-cache.ts'

export interface NearestQuery {
  readonly area: MemoryArea
  readonly vector: Float32Array
  readonly limit: number
  readonly minSimilarity: number
  /** Everything that was committed up to here takes part. */
  readonly version: number
  /** The reader holds the customer's lock. */
  readonly underLock?: boolean
}

export interface NearestOptions {
  readonly cache: VectorCache
  readonly model: string
  /** Whether pgvector is ready to be used, asked each time. */
  readonly hasPgvector: () => boolean
}

export class NearestItems {
  readonly #options: NearestOptions

  constructor(options: NearestOptions) {
    this.#options = options
  }

  /** Reads what has changed, so that whoever takes the lock next has little left to read while holding it. */
  async prepare(reader: MemoryReader, customerId: string): Promise<void> {
    const version = await readMemoryVersion(reader, customerId)
    await this.#options.cache.get({ customerId, version }, reader)
  }

  async find(reader: MemoryReader, query: NearestQuery): Promise<Neighbour[]> {
    const { cache, hasPgvector } = this.#options
    const { area, version, underLock } = query
    const wanted = { customerId: area.customerId, version }
    const kept = await (underLock ? cache.getUnderLock(wanted, reader) : cache.get(wanted, reader))
    if (kept) return kept.nearest(within(query))
    return hasPgvector() ? this.#byPgvector(reader, query) : this.#pageByPage(reader, query)
  }

  async #pageByPage(reader: MemoryReader, query: NearestQuery): Promise<Neighbour[]> {
    const { model } = this.#options
    const { customerId } = query.area
    const best = new BestNeighbours(query.limit)
    for (let after = beginning, isMore = true; isMore; ) {
      const page = await readVectorChanges(reader, { customerId, model, after })
      addNearest(best, page, query)
      after = page.at(-1) ?? after
      isMore = page.length === vectorPageSize
    }
    return best.sorted
  }

  /** What pgvector does not have yet is read, and given to it: the next search is spared that. */
  async #byPgvector(reader: MemoryReader, query: NearestQuery): Promise<Neighbour[]> {
    const { model } = this.#options
    const { customerId } = query.area
    const best = new BestNeighbours(query.limit)
    const filled = await nearestByPgvector(reader, query.area, { ...query, model })
    for (const { id, similarity } of filled) if (similarity >= query.minSimilarity) best.add(id, similarity)
    for (let afterId = beginning.id, isMore = true; isMore; ) {
      const page = await readUnfilledVectors(reader, { customerId, model, afterId })
      if (page.length > 0) await fillPgvector(reader, customerId, page)
      addNearest(best, page, query)
      afterId = page.at(-1)?.id ?? afterId
      isMore = page.length === vectorPageSize
    }
    return best.sorted
  }
}

function addNearest(best: BestNeighbours, page: readonly VectorChange[], query: NearestQuery): void {
  const vectors = new CustomerVectors()
  for (const change of page) vectors.apply(change)
  for (const { id, similarity } of vectors.nearest(within(query))) best.add(id, similarity)
}

const within = ({ area, vector, limit, minSimilarity }: NearestQuery): NeighbourQuery => ({
  vector,
  limit,
  minSimilarity,
  isWanted: ({ workspaceId, subjectId, kind }) =>
    area.workspaceIds.includes(workspaceId) && area.subjectIds.includes(subjectId) && area.kinds.includes(kind),
})
