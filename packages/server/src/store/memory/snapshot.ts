// Reads which items an export has, in one statement.
import type { Database } from '../postgres/database.ts'
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

/**
 * Newest first; undefined when the export would be longer than `maxCharacters`. One statement sees one snapshot. With a
 * query per page, an item that is superseded meanwhile could be missed both as the old item and as the new one.
 */
export async function readMemorySnapshot(
  database: Database,
  filter: MemoryFilter,
  maxCharacters: number,
): Promise<MemoryHead[] | undefined> {
  const maxItems = Math.floor(maxCharacters / fixedCharacters)
  const rows = await database.query<MemoryHeadRow>({
    text: `
select ${memoryHeadColumns} ${matchingMemory}
${newestFirst}
limit $6`,
    values: [...valuesOf(filter), maxItems + 1],
  })
  const characters = rows.reduce((sum, row) => sum + charactersOf(row), 0)
  return characters > maxCharacters ? undefined : rows.map(toMemoryHead)
}

const charactersOf = ({ workspace_id, subject_id, title, content_bytes, tags }: MemoryHeadRow) =>
  fixedCharacters +
  labelFactor * ((workspace_id?.length ?? 0) + (subject_id?.length ?? 0)) +
  title.length +
  content_bytes +
  tags.reduce((sum, tag) => sum + tag.length, 0)
