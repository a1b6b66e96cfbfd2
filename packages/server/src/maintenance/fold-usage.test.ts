import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { auditUsage } from '../store/usage/audit.ts'
import { UsageFolder } from './fold-usage.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await withoutAutovacuum()
})
afterAll(() => fresh.drop())

/**
 * Autovacuum could hold the table of deltas when it is vacuumed. And while it analyzes any table of the database, its
 * snapshot keeps the deleted rows of all others.
 */
async function withoutAutovacuum(): Promise<void> {
  const tables = await fresh.database.run<{ name: string }>({
    text: "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  })
  for (const { name } of tables)
    await fresh.database.run({ text: `alter table ${name} set (autovacuum_enabled = false)` })
}

/** As many deltas, each with its record. */
const record = (count: number) =>
  fresh.database.run({
    text: `
      with record as (
        insert into usage_rows (run_id, key, customer_id, event_type, quantity, at)
        select gen_random_uuid(), 'k', 'acme', 'tokens.consumed', n, '2026-11-01T00:00:00Z'::timestamptz + n * interval '1 minute'
        from generate_series(1, $1) n
        returning *
      )
      insert into usage_deltas
      select customer_id, date_trunc('hour', at, 'UTC'), event_type, null, null, 1, quantity
      from record`,
    values: [count],
  })

const left = async () => {
  const [row] = await fresh.database.run<{ left: number }>({ text: 'select count(*) as left from usage_deltas' })
  return row?.left
}

test('a fold takes all deltas, and returns how many', async () => {
  const folder = new UsageFolder(fresh.database)
  await record(12_345)
  expect(await folder.runOnce()).toEqual({ folded: 12_345 })
  expect(await folder.runOnce()).toEqual({ folded: 0 })
  expect(await left()).toBe(0)
  expect((await auditUsage(fresh.database)).differences).toEqual([])
})

test('two processes share the work, and no delta is counted twice', async () => {
  await record(12_000)
  const [one, other] = await Promise.all([1, 2].map(() => new UsageFolder(fresh.database).runOnce()))
  const again = await new UsageFolder(fresh.database).runOnce()
  expect((one?.folded ?? 0) + (other?.folded ?? 0) + again.folded).toBe(12_000)
  expect((await auditUsage(fresh.database)).differences).toEqual([])
})

test('the space of folded deltas is reclaimed, so that a reader does not scan it', async () => {
  await record(20_000)
  await new UsageFolder(fresh.database).runOnce()
  const [row] = await fresh.database.run<{ bytes: number }>({
    text: "select pg_relation_size('usage_deltas') as bytes",
  })
  expect(row?.bytes).toBeLessThan(100_000)
})
