import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { readFleetCounts } from './fleet-counts.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(() => fresh.database.run({ text: 'truncate runs' }))
afterAll(() => fresh.drop())

/** `columns` are those that make the state: `ready_at`, a lease or a wait. */
const addRuns = (count: number, state: string, { columns, values, runClass = 'default' }: Columns) =>
  fresh.database.run({
    text: `
insert into runs (id, customer_id, run_class, state, next_seq, request_id, idempotency_key, created_at, updated_at,
  deadline_at, ${columns})
select id, 'customer-' || n % 3, $2, $3::run_state, 2, 'req', id::text, now(), now(), now() + interval '1 hour', ${values}
from (select gen_random_uuid() as id, n from generate_series(1, $1) as n) new`,
    values: [count, runClass, state],
  })

interface Columns {
  readonly columns: string
  readonly values: string
  readonly runClass?: string
}

const ready = (since: string): Columns => ({ columns: 'ready_at', values: `now() - interval '${since}'` })

test('counts the queue by class, with the age of its oldest run', async () => {
  await addRuns(4, 'queued', ready('2 seconds'))
  await addRuns(1, 'queued', ready('90 seconds'))
  await addRuns(2, 'queued', { ...ready('5 seconds'), runClass: 'long' })
  const { queues } = await readFleetCounts(fresh.database)
  const found = Object.fromEntries(queues.map(({ runClass, ...queue }) => [runClass, queue]))
  expect(found).toEqual({
    short: { depth: 0, ageSeconds: 0 },
    default: { depth: 5, ageSeconds: expect.closeTo(90, -1) },
    long: { depth: 2, ageSeconds: expect.closeTo(5, -1) },
  })
})

test('tells running, parked and awaiting runs from those that can be claimed now', async () => {
  await addRuns(3, 'running', {
    columns: 'worker_id, lease_until',
    values: "gen_random_uuid(), now() + interval '1 minute'",
  })
  await addRuns(2, 'running', ready('-10 minutes'))
  await addRuns(1, 'running', ready('1 second'))
  await addRuns(4, 'awaiting_input', {
    columns: 'await_seq, await_until, wait, wait_content',
    values: "3, now() + interval '1 hour', '{}', '{}'",
  })
  expect((await readFleetCounts(fresh.database)).runs).toEqual({ running: 3, parked: 2, awaiting_input: 4 })
})

test('counts the messages to webhooks that are due, and how long the oldest has been', async () => {
  const addMessages = (count: number, nextAt: string) =>
    fresh.database.run({
      text: `
insert into webhook_deliveries (customer_id, webhook_id, run_id, seq, type, status, at, queued_at, next_at)
select 'acme', gen_random_uuid(), gen_random_uuid(), 1, 'run.created', 'queued', now(), now(), now() + $2::interval
from generate_series(1, $1)`,
      values: [count, nextAt],
    })
  expect((await readFleetCounts(fresh.database)).webhooks).toEqual({ backlog: 0, ageSeconds: 0 })
  await addMessages(3, '-2 minutes')
  await addMessages(2, '30 seconds')
  const { webhooks } = await readFleetCounts(fresh.database)
  expect(webhooks).toEqual({ backlog: 3, ageSeconds: expect.closeTo(120, -1) })
})

test('no count goes beyond its limit', async () => {
  await addRuns(10_050, 'queued', ready('1 second'))
  const { queues } = await readFleetCounts(fresh.database)
  expect(queues.find(({ runClass }) => runClass === 'default')?.depth).toBe(10_000)
})
