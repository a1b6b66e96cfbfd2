import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newUuid } from '../runtime/ids.ts'
import { archiveMemory } from './archive-memory.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

async function remember(status: string, ageDays: number): Promise<string> {
  const id = newUuid()
  await fresh.database.run({
    text: `
insert into memory_items (id, customer_id, kind, status, title, content, version, superseded_by, created_at, updated_at)
select $1::uuid, 'acme', 'fact', $2::text, 't', 'c', 1, case when $2 = 'superseded' then $1::uuid end, at, at
from date_trunc('milliseconds', clock_timestamp() - $3::integer * interval '1 day') as at`,
    values: [id, status, ageDays],
  })
  return id
}

const statusOf = async (id: string) => {
  const [row] = await fresh.database.run<{ status: string }>({
    text: 'select status from memory_items where id = $1',
    values: [id],
  })
  return row?.status
}

test('notes that were superseded more than 90 days ago are archived, and no others', async () => {
  const old = await remember('superseded', 91)
  const young = await remember('superseded', 89)
  const active = await remember('active', 400)
  expect(await archiveMemory(fresh.database)).toEqual({ archived: 1 })
  expect(await Promise.all([old, young, active].map(statusOf))).toEqual(['archived', 'superseded', 'active'])
  expect(await archiveMemory(fresh.database)).toEqual({ archived: 0 })
})
