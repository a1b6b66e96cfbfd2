// Finds the items whose vectors are closest to a given one. Uses the cache, or, for a customer with too many items, the
// database: with pgvector if it is available, otherwise page by page. All three are exact and give the same result.
import type { MemoryArea } from '../../store/memory/area.ts'
import { fillPgvector, nearestByPgvector, readUnfilledVectors } from '../../store/memory/pgvector.ts'
import type { MemoryReader } from '../../store/memory/reader.ts'
import { beginning, readVectorChanges, type VectorChange, vectorPageSize } from '../../store/memory/vectors.ts'
import { readMemoryVersion } from '../../store/memory/version.ts'
import { BestNeighbours, CustomerVectors, type Neighbour, type NeighbourQuery } from './customer-vectors.ts'
import type { VectorCache } from './vector-cache.ts'

interface NearestQuery {
  readonly area: MemoryArea
  readonly vector: Float32Array
  readonly limit: number
  readonly minSimilarity: number
  /** Everything committed up to this version is searched. */
  readonly version: number
  /** True if the reader holds the customer's lock. */
  readonly underLock?: boolean
}

interface NearestOptions {
  readonly cache: VectorCache
  readonly model: string
  /** Whether pgvector can be used; called for every search, because the answer changes after the start. */
  readonly hasPgvector: () => boolean
}

export class NearestItems {
  readonly #options: NearestOptions

  constructor(options: NearestOptions) {
    this.#options = options
  }

  /** Updates the cache, so that little is left to read while the lock is held. */
  async prepare(reader: MemoryReader, customerId: string): Promise<void> {
    const version = await readMemoryVersion(reader, customerId)
    await this.#options.cache.get({ customerId, version }, reader)
  }

  async find(reader: MemoryReader, query: NearestQuery): Promise<Neighbour[]> {
    const { cache, hasPgvector } = this.#options
    const { area, version, underLock } = query
    const wanted = { customerId: area.customerId, version }
    const cached = await (underLock ? cache.getUnderLock(wanted, reader) : cache.get(wanted, reader))
    if (cached) return cached.nearest(toNeighbourQuery(query))
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

  /** Also reads the vectors that pgvector does not have yet, and adds them for the next search. */
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
  for (const { id, similarity } of vectors.nearest(toNeighbourQuery(query))) best.add(id, similarity)
}

const toNeighbourQuery = ({ area, vector, limit, minSimilarity }: NearestQuery): NeighbourQuery => ({
  vector,
  limit,
  minSimilarity,
  isWanted: ({ workspaceId, subjectId, kind }) =>
    area.workspaceIds.includes(workspaceId) && area.subjectIds.includes(subjectId) && area.kinds.includes(kind),
})
