import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import type { Database } from '../postgres/database.ts'
import { findExpiredLeases, findExpiredWaits, findPastDeadline } from './overdue-runs.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: 'alter table runs set (autovacuum_enabled = false)' })
})
afterAll(() => fresh.drop())

/** How often this connection and others have read all runs from end to end. */
const fullScans = async (database: Database): Promise<number | undefined> => {
  await database.run({ text: 'select pg_stat_force_next_flush()' })
  const [row] = await database.run<{ scans: number }>({
    text: "select seq_scan as scans from pg_stat_user_tables where relname = 'runs'",
  })
  return row?.scans
}

const queueRuns = (count: number) =>
  fresh.database.run({
    text: `
insert into runs (id, customer_id, run_class, state, next_seq, ready_at, request_id, idempotency_key, created_at, updated_at,
  deadline_at)
select id, 'acme', 'default', 'queued', 2, now(), 'req', id::text, now(), now(), now() + interval '1 hour'
from (select gen_random_uuid() as id from generate_series(1, $1)) new`,
    values: [count],
  })

// Every process asks each of these once or twice a second, and the first statistics of a table may be a minute away.
test.each([
  ['expired leases', findExpiredLeases],
  ['runs past their deadline', findPastDeadline],
  ['expired waits', findExpiredWaits],
])('%s are found without reading all runs, also when the plan was made for an empty table', async (_, find) => {
  const database = fresh.open(1)
  await fresh.database.run({ text: 'truncate runs' })
  for (let asked = 0; asked < 7; asked += 1) await find(database)
  await queueRuns(20_000)
  const before = await fullScans(database)
  expect(before).toBeGreaterThanOrEqual(0)
  expect(await find(database)).toEqual([])
  expect(await fullScans(database)).toBe(before)
})
