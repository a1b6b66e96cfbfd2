import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { readQueueHealth } from './queue.ts'
import { removeWorker, showWorker } from './workers.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: 'alter table runs set (autovacuum_enabled = false)' })
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate runs' })
  await fresh.database.run({ text: 'truncate workers' })
})
afterAll(() => fresh.drop())

const addRuns = (count: number, { worker = null, age = '0' }: { worker?: string | null; age?: string } = {}) =>
  fresh.database.run({
    text: `
insert into runs (id, customer_id, run_class, state, next_seq, ready_at, worker_id, lease_until, request_id, idempotency_key,
  created_at, updated_at, deadline_at)
select id, 'acme', 'default', case when $2::uuid is null then 'queued' else 'running' end::run_state, 2,
  case when $2::uuid is null then now() - $3::interval end, $2::uuid,
  case when $2::uuid is not null then now() + interval '1 minute' end, 'req', id::text, now(), now(),
  now() + interval '1 hour'
from (select gen_random_uuid() as id from generate_series(1, $1)) new`,
    values: [count, worker, age],
  })

const rowsRead = async (): Promise<{ scans: number; fetched: number }> => {
  const database = fresh.open(1)
  await database.run({ text: 'select pg_stat_force_next_flush()' })
  const [row] = await database.run<{ scans: number; fetched: number }>({
    text: "select seq_scan as scans, idx_tup_fetch as fetched from pg_stat_user_tables where relname = 'runs'",
  })
  return row ?? { scans: -1, fetched: -1 }
}

test('an empty queue without workers is all zeros', async () => {
  expect(await readQueueHealth(fresh.database, 10)).toEqual({
    depth: 0,
    oldestSeconds: 0,
    workers: 0,
    places: 0,
    busyPlaces: 0,
  })
})

test('queued runs are counted up to one above the limit', async () => {
  await addRuns(3)
  await addRuns(1, { age: '90 seconds' })
  expect(await readQueueHealth(fresh.database, 10)).toMatchObject({ depth: 4, oldestSeconds: expect.closeTo(90, -1) })
  expect(await readQueueHealth(fresh.database, 4)).toMatchObject({ depth: 4 })
  expect(await readQueueHealth(fresh.database, 2)).toMatchObject({ depth: 3 })
})

test('places are those of the workers that were seen lately, busy are the runs that they hold', async () => {
  const [one, other, dead] = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of [one, other, dead]) await showWorker(fresh.database, { id, places: 8, breakers: [] })
  await showWorker(fresh.database, { id: other, places: 16, breakers: [] })
  await fresh.database.run({
    text: "update workers set seen_at = now() - interval '2 minutes' where id = $1",
    values: [dead],
  })
  await addRuns(3, { worker: one })
  await addRuns(2, { worker: other })
  await addRuns(5, { worker: dead })
  expect(await readQueueHealth(fresh.database, 10)).toMatchObject({ depth: 0, workers: 2, places: 24, busyPlaces: 5 })
  await removeWorker(fresh.database, other)
  expect(await readQueueHealth(fresh.database, 10)).toMatchObject({ workers: 1, places: 8, busyPlaces: 3 })
})

test('a long queue is not read to its end', async () => {
  const worker = randomUUID()
  await showWorker(fresh.database, { id: worker, places: 8, breakers: [] })
  await addRuns(20_000)
  await addRuns(2_000, { worker })
  const database = fresh.open(1)
  const before = await rowsRead()
  expect(await readQueueHealth(database, 100)).toMatchObject({ depth: 101, busyPlaces: 101 })
  await database.run({ text: 'select pg_stat_force_next_flush()' })
  const after = await rowsRead()
  expect(after.scans).toBe(before.scans)
  expect(after.fetched - before.fetched).toBeLessThan(500)
})
