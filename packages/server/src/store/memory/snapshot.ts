// Reads all memory that matches a filter, page by page, from one snapshot.
import type pg from 'pg'
import { type Database, withRetry } from '../postgres/database.ts'
import {
  type MemoryFilter,
  type MemoryRecord,
  type MemoryRow,
  matchingMemory,
  memoryColumns,
  newestFirst,
  toMemoryRecord,
  valuesOf,
} from './rows.ts'

const pageSize = 200

const declaration = `
declare memory_items_read no scroll cursor for
select ${memoryColumns} ${matchingMemory}
${newestFirst}`

/**
 * Newest first; undefined when the text is longer than `maxCharacters`. A cursor sees one snapshot. With a query per page,
 * an item that is superseded meanwhile could be missed both as the old item and as the new one.
 */
export const readAllMemory = (
  database: Database,
  filter: MemoryFilter,
  maxCharacters: number,
): Promise<MemoryRecord[] | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      await client.query(declaration, valuesOf(filter))
      return fetchAll(client, maxCharacters)
    }),
  )

async function fetchAll(client: pg.PoolClient, maxCharacters: number): Promise<MemoryRecord[] | undefined> {
  const records: MemoryRecord[] = []
  let characters = 0
  for (;;) {
    const { rows } = await client.query<MemoryRow>(`fetch ${pageSize} from memory_items_read`)
    if (rows.length === 0) return records
    for (const row of rows) characters += charactersOf(row)
    if (characters > maxCharacters) return undefined
    for (const row of rows) records.push(toMemoryRecord(row))
  }
}

// What an item takes besides its texts: other fields, its path and its line in the index. A label is written into both,
// percent-encoded once and twice: up to 24 characters for one.
const fixedCharacters = 1_000
const labelFactor = 24

const charactersOf = ({ workspace_id, subject_id, title, content, tags }: MemoryRow) =>
  fixedCharacters +
  labelFactor * ((workspace_id?.length ?? 0) + (subject_id?.length ?? 0)) +
  title.length +
  content.length +
  tags.reduce((sum, tag) => sum + tag.length, 0)
