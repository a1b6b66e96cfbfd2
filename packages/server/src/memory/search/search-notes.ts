// Searches memory by meaning and by words. If the embedder fails, searches by words only.
import { areaInScope, type MemoryScope } from '../../store/memory/area.ts'
import { findActiveMemory } from '../../store/memory/items.ts'
import type { MemoryRecord } from '../../store/memory/rows.ts'
import { searchWords } from '../../store/memory/words.ts'
import { embedWithin } from '../embedders/embedder.ts'
import { fuseRanks } from './fuse-ranks.ts'
import type { MemoryParts } from './memory-parts.ts'

interface NoteQuery {
  readonly text: string
  readonly limit: number
  /** How long the embedder may take. */
  readonly embedSeconds: number
  readonly minSimilarity: number
  /** Ends the search: no further statement is sent. */
  readonly signal: AbortSignal
}

export interface FoundNote {
  readonly record: MemoryRecord
  /** 0 to 1. */
  readonly score: number
}

/** How many results of each ranking are merged. */
const rankingLength = 50

export async function searchNotes(parts: MemoryParts, scope: MemoryScope, query: NoteQuery): Promise<FoundNote[]> {
  const { database, embedder, nearest } = parts
  const { text, limit, embedSeconds: seconds, minSimilarity, signal } = query
  const area = areaInScope(scope)
  const [vector, words] = await Promise.all([
    embedWithin(embedder, text, { seconds, signal }).catch(() => undefined),
    searchWords(database, area, { text, limit: rankingLength }),
  ])
  signal.throwIfAborted()
  const { version } = words
  const close = vector
    ? await nearest.find(database, { area, vector, limit: rankingLength, minSimilarity, version })
    : []
  const ranked = fuseRanks([close.map(({ id }) => id), words.ids])
  return loadBest(parts, scope.customerId, ranked.slice(0, limit))
}

async function loadBest(
  { database }: MemoryParts,
  customerId: string,
  ranked: ReturnType<typeof fuseRanks>,
): Promise<FoundNote[]> {
  if (ranked.length === 0) return []
  const ids = ranked.map(({ id }) => id)
  const records = await findActiveMemory(database, customerId, ids)
  return ranked.flatMap(({ id, score }) => {
    const record = records.get(id)
    return record ? [{ record, score }] : []
  })
}
