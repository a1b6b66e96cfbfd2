import { randomBytes } from 'node:crypto'
import type { CatchUpPolicy } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { testSchemas } from '../../test/support/schemas.ts'
import { operator } from '../domain/actor.ts'
import { QueueLimit } from '../runs/queue-limit.ts'
import { toWireId } from '../runtime/ids.ts'
import { createLogger } from '../runtime/logger.ts'
import { limitsByClass, readSettings } from '../runtime/settings/settings.ts'
import { insertCustomer } from '../store/keys/customers.ts'
import { DatabaseUnavailableError } from '../store/postgres/errors.ts'
import { keyHash } from '../store/run-log/removed-keys.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { findSchedule } from '../store/schedules/schedules.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { createSchedule, updateSchedule } from './manage-schedules.ts'
import { ScheduleRunner } from './run-schedules.ts'

let fresh: FreshDatabase
let keys: SealingKeys
beforeAll(async () => {
  fresh = await freshDatabase()
  keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  await keys.open()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  await sql('truncate runs, run_inputs, event_rows, usage_rows, usage_deltas, removed_keys, schedules')
  await sql('delete from customers')
  await insertCustomer(fresh.database, 'acme')
})

const sql = (text: string, ...values: unknown[]) => fresh.database.run({ text, values })
/** Its next tick is in January, so a tick in the past that a test sets is the only one. */
const yearly = '0 0 1 1 *'
const monthly = '0 0 1 * *'
/** The first tick of a month, as SQL. */
const monthsAgo = (count: number | string) =>
  `(date_trunc('month', now() at time zone 'UTC') - ${count} * interval '1 month') at time zone 'UTC'`
const withTool = { input: {}, metadata: {}, plan: { steps: [{ id: 'a', tool: 'calculator', input: {} }] } }

function intake(tools = ['calculator']) {
  const schemas = testSchemas.requests
  const limits = { allowedModels: [], stepTimeoutSeconds: 600, limits: limitsByClass(readSettings({}).limits) }
  return { knownTools: new Set(tools), schemas, workerIsSandbox: true, agents: undefined, ...limits }
}

function runner({ queueLimit = 0, tools }: { queueLimit?: number; tools?: string[] } = {}): ScheduleRunner {
  const { database } = fresh
  const creation = {
    ...intake(tools),
    creator: new RunCreator(database, () => undefined),
    queueLimit: new QueueLimit(database, queueLimit),
    hashBody: keys.hashBody,
    keyring: keys.keyring,
  }
  return new ScheduleRunner({ database, keys, creation, logger: createLogger({ level: 'silent' }) })
}

interface Due {
  readonly cron?: string
  readonly catchUp?: CatchUpPolicy
  readonly run?: object
  /** The tick, as SQL. */
  readonly at?: string
}

/** Creates a schedule whose next tick is `at`. Returns its id. */
async function due({ cron = yearly, catchUp = 'skip', run = withTool, at = "now() - interval '1 s'" }: Due = {}) {
  const store = { database: fresh.database, keyring: keys.keyring, intake: intake() }
  const wish = { cron, catch_up: catchUp, run }
  const { id } = (await createSchedule(store, { customerId: 'acme', by: operator }, wish)).result
  await tickAt(id, at)
  return id
}

const tickAt = (id: string, at: string) =>
  sql(
    `
update schedules
set next_at = date_trunc('milliseconds', t.at), due_at = date_trunc('milliseconds', t.at)
from (select ${at} as at) t
where id = $1`,
    id,
  )

async function show(id: string) {
  const schedule = await findSchedule(fresh.database, { customerId: 'acme', id })
  if (!schedule) throw new Error('there is no such schedule')
  return schedule
}

const runs = () =>
  fresh.database.run<{ id: string; idempotency_key: string; request_id: string }>({
    text: 'select id, idempotency_key, request_id from runs order by id',
  })

test('a tick creates a run with a key that names the tick, and the schedule goes on to the next one', async () => {
  const id = await due()
  const { nextAt: tick } = await show(id)
  expect(await runner().runOnce()).toEqual({ schedules: 1 })
  const [run] = await runs()
  const wireId = toWireId('sched', id)
  expect(run).toMatchObject({ idempotency_key: `schedule:${wireId}:${tick?.toISOString()}`, request_id: wireId })
  const schedule = await show(id)
  expect(schedule).toMatchObject({ lastAt: tick, lastRunId: run?.id, lastError: null, missed: 0 })
  expect(schedule.nextAt?.toISOString()).toMatch(/-01-01T00:00:00\.000Z$/)
  expect(await runner().runOnce()).toEqual({ schedules: 0 })
})

test('a schedule that has no next tick any more is not due over and over', async () => {
  const id = await due()
  // The expression was valid when it was created: the rules of its time zone have changed.
  await sql("update schedules set cron = '* 2 25-31 3 +SUN', time_zone = 'Europe/Berlin' where id = $1", id)
  expect(await runner().runOnce()).toEqual({ schedules: 1 })
  expect(await runner().runOnce()).toEqual({ schedules: 0 })
  expect(await runs()).toHaveLength(1)
})

test('the run has the whole body, also what is masked in the schedule', async () => {
  const tags = [{ path: '$.input.password', classification: 'credential' }]
  const id = await due({
    run: { input: { password: 'hunter2' }, metadata: {}, sensitivity_tags: tags, subject_id: 'u' },
  })
  expect((await show(id)).run).not.toContain('hunter2')
  await runner().runOnce()
  const [row] = await fresh.database.run<{ sealed: Buffer; sealed_key: number; run_id: string; subject_id: string }>({
    text: 'select i.sealed, i.sealed_key, i.run_id, r.subject_id from run_inputs i join runs r on r.id = i.run_id',
  })
  const value = { bytes: row?.sealed ?? Buffer.alloc(0), keyId: row?.sealed_key ?? 0 }
  const opened = keys.keyring.open(value, { customerId: 'acme', runId: row?.run_id ?? '' })
  expect([JSON.stringify(opened), row?.subject_id]).toEqual([expect.stringContaining('hunter2'), 'u'])
})

describe('one run per tick', () => {
  test('also if the process was killed before it recorded the tick', async () => {
    const id = await due()
    const { nextAt } = await show(id)
    await runner().runOnce()
    await tickAt(id, `'${nextAt?.toISOString()}'::timestamptz`)
    await runner().runOnce()
    const found = await runs()
    expect(found).toHaveLength(1)
    expect(await show(id)).toMatchObject({ lastRunId: found[0]?.id, lastError: null, missed: 0 })
  })

  test('also if the body was changed in between', async () => {
    const id = await due()
    const { nextAt } = await show(id)
    await runner().runOnce()
    const [run] = await runs()
    const store = { database: fresh.database, keyring: keys.keyring, intake: intake() }
    const name = { customerId: 'acme', by: operator, id: toWireId('sched', id) }
    await updateSchedule(store, name, { run: { input: { goal: 'another' }, metadata: {} } })
    await tickAt(id, `'${nextAt?.toISOString()}'::timestamptz`)
    await runner().runOnce()
    expect(await runs()).toEqual([run])
    expect(await show(id)).toMatchObject({ lastRunId: run?.id, lastError: null })
  })

  test('also if the run has been removed in between', async () => {
    const id = await due()
    const { nextAt } = await show(id)
    const hash = keyHash('acme', `schedule:${toWireId('sched', id)}:${nextAt?.toISOString()}`)
    await sql("insert into removed_keys (customer_id, key_hash) values ('acme', $1)", hash)
    await runner().runOnce()
    expect(await runs()).toEqual([])
    expect(await show(id)).toMatchObject({ lastAt: nextAt, lastRunId: null, lastError: null })
  })

  test('also if two processes act on it at once', async () => {
    const id = await due({ at: "now() - interval '5 minutes'", catchUp: 'latest' })
    await Promise.all([runner().runOnce(), runner().runOnce()])
    expect(await runs()).toHaveLength(1)
    expect(await show(id)).toMatchObject({ missed: 0, lastRunId: (await runs())[0]?.id })
  })
})

describe('after a downtime', () => {
  test('skip creates no run for an old tick, and counts it', async () => {
    const id = await due({ at: "now() - interval '2 minutes'" })
    await runner().runOnce()
    expect(await runs()).toEqual([])
    expect(await show(id)).toMatchObject({ missed: 1, lastAt: null })
  })

  test('latest creates one run, for the latest tick', async () => {
    const id = await due({ cron: monthly, catchUp: 'latest', at: monthsAgo(3) })
    await runner().runOnce()
    expect(await runs()).toHaveLength(1)
    const { missed, lastAt, nextAt } = await show(id)
    const [months] = await sql(`select ${monthsAgo(0)} as this, ${monthsAgo(-1)} as next`)
    expect({ missed, this: lastAt, next: nextAt }).toEqual({ missed: 3, ...months })
  })

  test('all creates a run for each tick, oldest first, ten at once', async () => {
    const id = await due({ cron: monthly, catchUp: 'all', at: monthsAgo(14) })
    const one = runner()
    await one.runOnce()
    expect(await runs()).toHaveLength(10)
    await one.runOnce()
    const ticks = (await runs()).map(({ idempotency_key: key }) => new Date(key.slice(-24)))
    const months = await sql(`select ${monthsAgo('n')} as at from generate_series(14, 0, -1) n`)
    expect(ticks).toEqual(months.map(({ at }) => at))
    expect(await show(id)).toMatchObject({ missed: 0, lastAt: ticks[14] })
  })

  test('a schedule with many missed ticks queues behind those that have become due since', async () => {
    await due({ cron: '* * * * *', catchUp: 'all', at: "date_trunc('hour', now()) - interval '3 hours'" })
    await runner().runOnce()
    const rows = await sql(
      "select next_at < now() - interval '1 hour' as late, due_at > now() - interval '30 s' as last from schedules",
    )
    expect(rows).toEqual([{ late: true, last: true }])
  })
})

describe('a create that is refused', () => {
  test('for good is recorded, and the schedule goes on to the next tick', async () => {
    const id = await due()
    await runner({ tools: [] }).runOnce()
    const { nextAt, lastError, missed, lastAt } = await show(id)
    expect(lastError).toMatchObject({
      reason_code: 'INPUT_PLAN_INVALID',
      message: expect.stringContaining('calculator'),
    })
    expect([missed, lastAt, (nextAt?.getTime() ?? 0) > Date.now()]).toEqual([1, null, true])
  })

  test('for a while is tried again, however old the tick is by then', async () => {
    const id = await due()
    const { nextAt: tick } = await show(id)
    await new RunCreator(fresh.database, () => undefined).create(newRun())
    await runner({ queueLimit: 1 }).runOnce()
    expect(await show(id)).toMatchObject({ nextAt: tick, missed: 0, lastError: { reason_code: 'QUEUE_LIMIT_REACHED' } })
    // It waits before it tries again.
    expect(await runner().runOnce()).toEqual({ schedules: 0 })
    await sql("update schedules set next_at = next_at - interval '10 minutes', due_at = now()")
    await runner().runOnce()
    expect(await runs()).toHaveLength(2)
    expect(await show(id)).toMatchObject({ missed: 0, lastError: null })
  })

  test('because the database is away is not recorded, and is tried again with the next sweep', async () => {
    const id = await due()
    const before = await show(id)
    const lost = vi.spyOn(RunCreator.prototype, 'create').mockRejectedValue(new DatabaseUnavailableError(new Error()))
    await runner().runOnce()
    lost.mockRestore()
    expect(await show(id)).toEqual(before)
    expect(await runner().runOnce()).toEqual({ schedules: 1 })
    expect(await runs()).toHaveLength(1)
  })

  test('a schedule that cannot be read is postponed, and the others go on', async () => {
    const [broken, other] = [await due(), await due()]
    await sql("update schedules set sealed = '' where id = $1", broken)
    await runner().runOnce()
    expect((await show(other)).lastRunId).not.toBeNull()
    expect(await show(broken)).toMatchObject({ lastError: { reason_code: 'INTERNAL_ERROR' }, lastRunId: null })
    expect(await runner().runOnce()).toEqual({ schedules: 0 })
  })
})

test('the schedules of a suspended customer rest, and miss nothing', async () => {
  const id = await due({ catchUp: 'all' })
  await sql('update customers set suspended_at = now()')
  await runner().runOnce()
  expect(await runs()).toEqual([])
  const { nextAt, missed } = await show(id)
  expect([missed, (nextAt?.getTime() ?? 0) > Date.now()]).toEqual([0, true])
})

test('the schedules of a customer that is moved wait for the other cell', async () => {
  const id = await due()
  const before = await show(id)
  await sql("update customers set move = 'held', move_cell = 'b'")
  expect(await runner().runOnce()).toEqual({ schedules: 0 })
  expect(await show(id)).toEqual(before)
  const store = { database: fresh.database, keyring: keys.keyring, intake: intake() }
  const update = updateSchedule(
    store,
    { customerId: 'acme', by: operator, id: toWireId('sched', id) },
    { catch_up: 'all' },
  )
  await expect(update).rejects.toMatchObject({ code: '23M01' })
})

test('a schedule that is paused while its tick is created stays paused', async () => {
  const id = await due()
  const store = { database: fresh.database, keyring: keys.keyring, intake: intake() }
  const name = { customerId: 'acme', by: operator, id: toWireId('sched', id) }
  const one = runner()
  const running = one.runOnce()
  await updateSchedule(store, name, { paused: true })
  await running
  expect(await show(id)).toMatchObject({ nextAt: null })
  await updateSchedule(store, name, { paused: false })
  const resumed = await show(id)
  expect([(resumed.nextAt?.getTime() ?? 0) > Date.now(), resumed.missed]).toEqual([true, 0])
})

test('many schedules are read with one statement, and recorded with one', async () => {
  for (let n = 0; n < 20; n += 1) await due()
  const query = vi.spyOn(fresh.database, 'query')
  await runner().runOnce()
  const texts = query.mock.calls.map(([{ text }]) => text)
  query.mockRestore()
  expect(texts.filter((text) => text.includes('schedules'))).toHaveLength(2)
  expect(await runs()).toHaveLength(20)
})
