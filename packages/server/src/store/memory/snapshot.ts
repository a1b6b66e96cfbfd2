// Reads which items an export has, without their contents, page by page from one snapshot.
import type pg from 'pg'
import { type Database, withRetry } from '../postgres/database.ts'
import {
  type MemoryFilter,
  type MemoryHead,
  type MemoryHeadRow,
  matchingMemory,
  memoryHeadColumns,
  newestFirst,
  toMemoryHead,
  valuesOf,
} from './rows.ts'

// What an item takes besides its texts: other fields, its path and its line in the index. A label is written into both,
// percent-encoded once and twice: up to 24 characters for one.
const fixedCharacters = 1_000
const labelFactor = 24

/** A page is converted in one go: a larger one would hold up the event loop. */
const pageSize = 500

const declaration = `
declare memory_items_read no scroll cursor for
select ${memoryHeadColumns} ${matchingMemory}
${newestFirst}`

/**
 * Newest first; undefined when the export would be longer than `maxCharacters`. A cursor sees one snapshot. With a
 * query per page, an item that is superseded meanwhile could be missed both as the old item and as the new one.
 */
export const readMemorySnapshot = (
  database: Database,
  filter: MemoryFilter,
  maxCharacters: number,
): Promise<MemoryHead[] | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      await client.query(declaration, valuesOf(filter))
      return fetchAll(client, maxCharacters)
    }),
  )

async function fetchAll(client: pg.PoolClient, maxCharacters: number): Promise<MemoryHead[] | undefined> {
  const heads: MemoryHead[] = []
  let characters = 0
  for (;;) {
    const { rows } = await client.query<MemoryHeadRow>(`fetch ${pageSize} from memory_items_read`)
    if (rows.length === 0) return heads
    for (const row of rows) characters += charactersOf(row)
    if (characters > maxCharacters) return undefined
    for (const row of rows) heads.push(toMemoryHead(row))
  }
}

const charactersOf = ({ workspace_id, subject_id, title, content_bytes, tags }: MemoryHeadRow) =>
  fixedCharacters +
  labelFactor * ((workspace_id?.length ?? 0) + (subject_id?.length ?? 0)) +
  title.length +
  content_bytes +
  tags.reduce((sum, tag) => sum + tag.length, 0)
