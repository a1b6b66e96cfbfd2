// Reads memory: one item, or a page of them.
import type { Database } from './database.ts'
import {
  type MemoryFilter,
  type MemoryRecord,
  type MemoryRow,
  matchingMemory,
  memoryColumns,
  newestFirst,
  toMemoryRecord,
  valuesOf,
} from './memory-rows.ts'

export interface EmbeddedMemoryRecord extends MemoryRecord {
  readonly embedding: readonly number[] | null
}

export async function findMemoryItem(
  database: Database,
  id: string,
  filter: MemoryFilter,
): Promise<EmbeddedMemoryRecord | undefined> {
  const [row] = await database.query<MemoryRow & { embedding: number[] | null }>({
    name: 'find-memory-item',
    text: `
select ${memoryColumns}, embedding ${matchingMemory}
  and id = $6`,
    values: [...valuesOf(filter), id],
  })
  return row && { ...toMemoryRecord(row), embedding: row.embedding }
}

export async function listMemoryItems(
  database: Database,
  filter: MemoryFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<MemoryRecord[]> {
  const rows = await database.query<MemoryRow>({
    text: `
select ${memoryColumns} ${matchingMemory}
${newestFirst}
limit $6
offset $7`,
    values: [...valuesOf(filter), page.limit, page.offset],
  })
  return rows.map(toMemoryRecord)
}
