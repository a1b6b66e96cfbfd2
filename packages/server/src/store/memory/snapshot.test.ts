import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newUuid as uuidv7 } from '../../runtime/ids.ts'
import type { Database } from '../postgres/database.ts'
import { readContents } from './contents.ts'
import type { MemoryFilter, MemoryHead, MemoryRecord } from './rows.ts'
import { readMemorySnapshot } from './snapshot.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate memory_items' })
})
afterAll(() => fresh.drop())

const everything: MemoryFilter = {
  customerId: 'acme',
  workspaceId: undefined,
  subjectId: undefined,
  status: undefined,
  includeHarness: true,
}

/** Items 1 to `count`, oldest first; within ten the time is the same and the id decides. */
const insertMany = (count: number) =>
  fresh.database.run({
    text: `insert into memory_items (id, customer_id, kind, title, content, created_at, updated_at)
           select lpad(n::text, 32, '0')::uuid, 'acme', 'fact', n::text, '', at, at
           from generate_series(1, $1) n, to_timestamp(n / 10) at`,
    values: [count],
  })

test('the snapshot has each item once, newest first', async () => {
  await insertMany(1_001)
  const heads = await readMemorySnapshot(fresh.database, everything, 10_000_000)
  expect(heads?.map(({ title }) => Number(title))).toEqual(Array.from({ length: 1_001 }, (_, n) => 1_001 - n))
})

test('an export that is too long is refused before its contents are read', async () => {
  await insertMany(1_001)
  expect(await readMemorySnapshot(fresh.database, everything, 500_000)).toBeUndefined()
  expect(await readMemorySnapshot(fresh.database, everything, 2_000_000)).toHaveLength(1_001)
  await fresh.database.run({ text: `update memory_items set content = repeat('x', 1000)` })
  expect(await readMemorySnapshot(fresh.database, everything, 2_000_000)).toBeUndefined()
})

test('labels count with the length that they have in paths and links', async () => {
  const label = '🚀'.repeat(255)
  await fresh.database.run({
    text: `insert into memory_items (id, customer_id, workspace_id, kind, title, content, created_at, updated_at)
           values ($1, 'acme', $2, 'fact', '', '', now(), now())`,
    values: [uuidv7(), label],
  })
  expect(await readMemorySnapshot(fresh.database, everything, 10_000)).toBeUndefined()
})

async function contentsOf(heads: readonly MemoryHead[] | undefined, database: Database = fresh.database) {
  const records: MemoryRecord[] = []
  for await (const record of readContents(database, 'acme', heads ?? [])) records.push(record)
  return records
}

test('an item that is superseded during an export appears as it was when the export began', async () => {
  await insertMany(401)
  const heads = await readMemorySnapshot(fresh.database, { ...everything, status: 'active' }, 10_000_000)
  await fresh.database.run({ text: `update memory_items set status = 'superseded'` })
  const records = await contentsOf(heads)
  expect(records).toHaveLength(401)
  expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['active']))
})

test('contents are read a megabyte at a time, in the order of the items', async () => {
  await insertMany(10)
  await fresh.database.run({ text: `update memory_items set content = title || repeat('x', 400000)` })
  const heads = await readMemorySnapshot(fresh.database, everything, 10_000_000)
  const counts: number[] = []
  const query: Database['query'] = async (statement) => {
    const rows = await fresh.database.query(statement)
    counts.push(rows.length)
    return rows as never
  }
  const records = await contentsOf(heads, { query } as Database)
  expect(counts).toEqual([2, 2, 2, 2, 2])
  expect(records.map(({ content }) => Number.parseInt(content, 10))).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
})
