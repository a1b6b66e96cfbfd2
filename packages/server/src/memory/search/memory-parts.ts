// What saving and searching need: the database, the embedder, and the search for similar vectors.
import type { Database } from '../../store/postgres/database.ts'
import type { Embedder } from '../embedders/embedder.ts'
import { NearestItems } from './nearest-items.ts'
import { VectorCache } from './vector-cache.ts'

export interface MemoryParts {
  readonly database: Database
  readonly embedder: Embedder
  readonly nearest: NearestItems
}

interface MemoryPartsOptions {
  readonly database: Database
  readonly embedder: Embedder
  readonly cache?: VectorCache
  readonly hasPgvector?: () => boolean
}

export function createMemoryParts(options: MemoryPartsOptions): MemoryParts {
  const { database, embedder, hasPgvector = () => false } = options
  const { model } = embedder
  const cache = options.cache ?? new VectorCache({ model })
  return { database, embedder, nearest: new NearestItems({ cache, model, hasPgvector }) }
}
