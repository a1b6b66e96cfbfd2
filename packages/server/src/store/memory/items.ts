// Reads memory: one item, a page of items, or the items that a search has found.
import type { Database } from '../postgres/database.ts'
import { rowsOf } from '../postgres/look-up.ts'
import type { MemoryReader } from './reader.ts'
import {
  type MemoryFilter,
  type MemoryHead,
  type MemoryHeadRow,
  type MemoryRecord,
  type MemoryRow,
  matchingMemory,
  memoryColumns,
  memoryHeadColumns,
  newestFirst,
  toMemoryHead,
  toMemoryRecord,
  valuesOf,
} from './rows.ts'
import { fromVectorBytes } from './vector-bytes.ts'

interface EmbeddedMemoryRecord extends MemoryRecord {
  readonly embedding: readonly number[] | null
}

export async function findMemoryItem(
  database: Database,
  id: string,
  filter: MemoryFilter,
): Promise<EmbeddedMemoryRecord | undefined> {
  const [row] = await database.query<MemoryRow & { embedding_bytes: Buffer | null }>({
    name: 'find-memory-item',
    text: `
select ${memoryColumns}, embedding_bytes ${matchingMemory}
  and id = $6`,
    values: [...valuesOf(filter), id],
  })
  return row && { ...toMemoryRecord(row), embedding: embeddingOf(row.embedding_bytes) }
}

const embeddingOf = (bytes: Buffer | null) => bytes && Array.from(fromVectorBytes(bytes))

/** The active items among these, by id. A search may have found items that are no longer active. */
export async function findActiveMemory(
  reader: MemoryReader,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, MemoryRecord>> {
  const rows = await reader.query<MemoryRow>({
    name: 'find-active-memory',
    text: `
select ${memoryColumns}
from ${rowsOf('memory_items', 'id')}
where status = 'active' and not harness`,
    values: [customerId, ids],
  })
  return new Map(rows.map((row) => [row.id, toMemoryRecord(row)]))
}

export async function listMemoryHeads(
  database: Database,
  filter: MemoryFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<MemoryHead[]> {
  const rows = await database.query<MemoryHeadRow>({
    text: `
select ${memoryHeadColumns} ${matchingMemory}
${newestFirst}
limit $6
offset $7`,
    values: [...valuesOf(filter), page.limit, page.offset],
  })
  return rows.map(toMemoryHead)
}
