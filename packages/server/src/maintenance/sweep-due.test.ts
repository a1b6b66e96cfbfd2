import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { insertCustomer } from '../store/keys/customers.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { RunLog } from '../store/run-log/run-log.ts'
import { sweepDue } from './sweep-due.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(() =>
  fresh.database.run({ text: 'truncate runs, run_inputs, event_rows, usage_rows, usage_deltas, audit_queue' }),
)

const create = () => new RunCreator(fresh.database, () => undefined).create(newRun())
const set = (text: string) => fresh.database.run({ text: `update runs set ${text}` })

async function sweep() {
  const [wakeWorker, wakeDeliverers, wakeScheduler] = [vi.fn(), vi.fn(), vi.fn()]
  const runLog = new RunLog(fresh.database, () => undefined)
  const rule = { delaySeconds: 5, maxRecoveries: 3 }
  const swept = await sweepDue({
    database: fresh.database,
    runLog,
    rule,
    leaseMs: 30_000,
    action: 'cancel',
    wakeWorker,
    wakeDeliverers,
    wakeScheduler,
  })
  const rows = await fresh.database.run<{ state: string }>({ text: 'select state from runs' })
  return {
    ...swept,
    states: rows.map(({ state }) => state),
    wakes: wakeWorker.mock.calls.length,
    tells: wakeDeliverers.mock.calls.length,
    ticks: wakeScheduler.mock.calls.length,
  }
}

test('an idle database has nothing to do', async () => {
  expect(await sweep()).toEqual({
    hasUsage: false,
    hasActs: false,
    nextInMs: undefined,
    states: [],
    wakes: 0,
    tells: 0,
    ticks: 0,
  })
})

test('a run that is ready wakes a worker, and one that is not ready yet does not', async () => {
  await create()
  expect(await sweep()).toMatchObject({ wakes: 1, hasUsage: true, hasActs: false })
  await set("ready_at = now() + interval '1 minute'")
  expect(await sweep()).toMatchObject({ wakes: 0, states: ['queued'] })
})

test('it says whether acts wait for the audit log', async () => {
  await insertCustomer(fresh.database, 'acts')
  expect(await sweep()).toMatchObject({ hasActs: true })
})

test('a run past its deadline is ended', async () => {
  await create()
  await set("deadline_at = now() - interval '1 s'")
  expect(await sweep()).toMatchObject({ states: ['failed'] })
})

test('a run whose lease has expired is stalled', async () => {
  await create()
  await set("state = 'running', ready_at = null, worker_id = gen_random_uuid(), lease_until = now() - interval '1 s'")
  expect(await sweep()).toMatchObject({ states: ['stalled'], wakes: 0 })
})

test('it says when the next run is past its deadline', async () => {
  await create()
  await set("deadline_at = now() + interval '1 hour'")
  const far = await sweep()
  await create()
  await set("deadline_at = now() + interval '1 minute' where id = (select max(id::text)::uuid from runs)")
  const near = await sweep()
  expect([far.nextInMs, near.nextInMs]).toEqual([expect.closeTo(3_600_000, -5), expect.closeTo(60_000, -5)])
})

test('a message to a webhook that is due is told to those who send, and one that waits is not', async () => {
  await fresh.database.run({
    text: `
insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, at, queued_at, next_at)
values ('acme', gen_random_uuid(), gen_random_uuid(), 1, 'run.created', 'queued', now(), now(), now() + interval '1 hour')`,
  })
  expect(await sweep()).toMatchObject({ tells: 0 })
  await fresh.database.run({ text: 'update webhook_deliveries set next_at = now()' })
  expect(await sweep()).toMatchObject({ tells: 1 })
})

test('a schedule that is due wakes the scheduler, and the sweep says when the next one is', async () => {
  const { database } = fresh
  await database.run({ text: "insert into customers (id) values ('acme')" })
  await database.run({
    text: `
insert into schedules (customer_id, id, cron, time_zone, catch_up, run, sealed, sealed_key, next_at, due_at)
values ('acme', gen_random_uuid(), '* * * * *', 'UTC', 'skip', '{}', '', 1, now(), now() + interval '30 s')`,
  })
  expect(await sweep()).toMatchObject({ ticks: 0, nextInMs: expect.closeTo(30_000, -4) })
  await database.run({ text: 'update schedules set due_at = now()' })
  expect(await sweep()).toMatchObject({ ticks: 1 })
  await database.run({ text: 'update schedules set next_at = null, due_at = null' })
  expect(await sweep()).toMatchObject({ ticks: 0, nextInMs: undefined })
})
