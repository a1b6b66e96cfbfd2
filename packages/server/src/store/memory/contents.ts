// Reads the contents of many memory items, a few at a time.
import { groupByBytes } from '../../runtime/group-by-bytes.ts'
import type { Database } from '../postgres/database.ts'
import { rowsOf } from '../postgres/look-up.ts'
import type { MemoryHead, MemoryRecord } from './rows.ts'

const perRead = { bytesOf: ({ contentBytes }: MemoryHead) => contentBytes, maxBytes: 1024 * 1024, maxItems: 200 }

/**
 * The items in the given order, with their contents. An item keeps its content for good, so the items are as they were
 * when their heads were read. No connection is held between two reads: the caller may be slow.
 */
export async function* readContents(
  database: Database,
  customerId: string,
  heads: readonly MemoryHead[],
): AsyncGenerator<MemoryRecord, void, undefined> {
  for (const group of groupByBytes(heads, perRead)) {
    const contents = await findContents(database, customerId, group)
    for (const { contentBytes, ...fields } of group) {
      const content = contents.get(fields.id)
      if (content !== undefined) yield { ...fields, content }
    }
  }
}

async function findContents(
  database: Database,
  customerId: string,
  heads: readonly MemoryHead[],
): Promise<Map<string, string>> {
  const rows = await database.query<{ id: string; content: string }>({
    name: 'find-memory-contents',
    text: `
select id, content
from ${rowsOf('memory_items', 'id')}`,
    values: [customerId, heads.map(({ id }) => id)],
  })
  return new Map(rows.map(({ id, content }) => [id, content]))
}
