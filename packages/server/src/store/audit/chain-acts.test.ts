import type { AuditAction, AuditEntry } from '@runwright/contract'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { type Actor, actorOf, operator } from '../../domain/actor.ts'
import { newUuid, toWireId } from '../../runtime/ids.ts'
import { insertFirstKey, insertMissingKeys } from '../keys/bootstrap.ts'
import { insertCustomer, resumeCustomer, setCustomerRetention, suspendCustomer } from '../keys/customers.ts'
import { insertKey } from '../keys/insert-key.ts'
import { revokeKeyOnce, rotateLiveKey } from '../keys/keys.ts'
import { Database, type Row, type Statement } from '../postgres/database.ts'
import type { NewRun } from '../run-log/create-statement.ts'
import { forgetCustomer } from '../run-log/forget-customer.ts'
import { removeRunIfEnded } from '../run-log/remove-runs.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { RunLog } from '../run-log/run-log.ts'
import { changeSchedule, deleteSchedule, insertSchedule } from '../schedules/schedules.ts'
import { deleteBudget, putBudget } from '../usage/budgets.ts'
import { changeWebhook } from '../webhooks/change-webhook.ts'
import { deleteWebhook, insertWebhook, rotateWebhook } from '../webhooks/webhooks.ts'
import { chainActs } from './chain-acts.ts'
import { listEntries, listHeads } from './entries.ts'
import { verifyChain } from './verify-chain.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

let customers = 0
async function newCustomer(): Promise<string> {
  customers += 1
  await fresh.database.run({ text: 'insert into customers (id) values ($1)', values: [`c${customers}`] })
  return `c${customers}`
}

const by: Actor = actorOf({ keyId: 'key_1' })
const quiet = () => undefined
const cancel = (log: RunLog, { customerId, id: runId }: NewRun) =>
  log.apply({ customerId, runId, epoch: null, trigger: 'cancel', act: { action: 'run.cancel', by } })

/** Creates a run, which is not recorded, and cancels it, which is. */
async function cancelledRun(customerId: string): Promise<void> {
  const run = newRun({ customerId })
  await new RunCreator(fresh.database, quiet).create(run)
  await cancel(new RunLog(fresh.database, quiet), run)
}

/** The entries of a customer, oldest first, after its acts are chained. */
async function entriesOf(customerId: string): Promise<AuditEntry[]> {
  await chainActs(fresh.database, 10_000)
  return (await listEntries(fresh.database, { customerId, limit: 10_000 })).reverse()
}

const actionsOf = async (customerId: string) => (await entriesOf(customerId)).map(({ action }) => action)

async function problemOf(customerId: string): Promise<string | undefined> {
  const [head] = await listHeads(fresh.database, customerId)
  return head && (await verifyChain(fresh.database, head)).problem
}

test('what the operator does is recorded, and what changes nothing is not', async () => {
  const { database } = fresh
  await insertCustomer(database, 'op')
  await insertCustomer(database, 'op')
  for (const _ of [1, 2]) await suspendCustomer(database, 'op')
  for (const _ of [1, 2]) await resumeCustomer(database, 'op')
  for (const days of [30, 30, null]) await setCustomerRetention(database, 'op', days)
  const key = { id: 'key_boot', customerId: 'op', name: 'bootstrap', scopes: ['runs:read'] as const }
  for (const _ of [1, 2]) await insertMissingKeys(database, [{ ...key, secretHash: Buffer.alloc(32) }])
  expect(await insertFirstKey(database, { ...key, id: 'key_first', secretHash: Buffer.alloc(32) })).toBe(false)
  const entries = await entriesOf('op')
  expect(entries.map(({ action, target, details }) => [action, target, details])).toEqual([
    ['customer.create', null, {}],
    ['customer.suspend', null, {}],
    ['customer.resume', null, {}],
    ['customer.set_retention', null, { retention_days: 30 }],
    ['customer.set_retention', null, { retention_days: null }],
    ['key.create', 'key_boot', { scopes: ['runs:read'], expires_at: null }],
  ])
  for (const entry of entries) expect(entry).toMatchObject({ key_id: null, key_name: null, via: 'operator' })
})

const seed = Buffer.alloc(32)

test('an entry has the name of its key', async () => {
  const customerId = await newCustomer()
  const key = { id: 'key_1', customerId, name: 'Kim', scopes: ['runs:read'] as const, secretHash: Buffer.alloc(32) }
  await insertKey(fresh.database, { ...key, expiresAt: null }, { maxLiveKeys: 9, by: operator, seed })
  await cancelledRun(customerId)
  expect(await entriesOf(customerId)).toMatchObject([
    { action: 'key.create', key_name: null },
    { action: 'run.cancel', key_id: 'key_1', key_name: 'Kim', via: 'api' },
  ])
})

test('what the service does by itself is not recorded', async () => {
  const customerId = await newCustomer()
  const run = newRun({ customerId })
  await new RunCreator(fresh.database, quiet).create(run)
  await new RunLog(fresh.database, quiet).apply({ runId: run.id, customerId, epoch: null, trigger: 'cancel' })
  expect(await actionsOf(customerId)).toEqual([])
})

test('a batch of changes records who changed each run, with turns or without', async () => {
  const customerId = await newCustomer()
  const creator = new RunCreator(fresh.database, quiet)
  const runs = [1, 2, 3, 4].map(() => newRun({ customerId }))
  await Promise.all(runs.map((run) => creator.create(run)))
  const [own, one, two, other] = runs as [NewRun, NewRun, NewRun, NewRun]
  const call = { taskKey: '0', callKey: '0', role: 'worker', leftMs: 1, shared: 0, size: 2 } as const
  const turns = [{ ...call, epoch: 1, attempt: 1, messages: [], body: {} as never }]
  const log = new RunLog(fresh.database, quiet)
  const cancelByService = ({ id: runId }: NewRun) =>
    log.apply({ customerId, runId, epoch: null, trigger: 'cancel', turns })
  // The first change is committed alone, and those that came meanwhile together.
  await Promise.all([cancel(log, one), cancel(log, two), cancelByService(own)])
  await Promise.all([cancelByService({ ...own, id: newUuid() }), cancel(log, other)])
  expect((await entriesOf(customerId)).map(({ action, target }) => [action, target])).toEqual(
    [one, two, other].map(({ id }) => ['run.cancel', toWireId('run', id)]),
  )
})

/** Loses the answer to its next commit. */
class LossyDatabase extends Database {
  isLosing = false

  override async run<R extends Row = Row>(statement: Statement): Promise<R[]> {
    const rows = await super.run<R>(statement)
    return this.#lose(rows)
  }

  override async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#lose(await super.transaction(work))
  }

  #lose<T>(answer: T): T {
    if (!this.isLosing) return answer
    this.isLosing = false
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
}

test('an act whose answer is lost is recorded once', async () => {
  const customerId = await newCustomer()
  const database = new LossyDatabase({ ...fresh.database.options, maxConnections: 1 })
  const secretHash = Buffer.alloc(32, 7)
  const key = { id: 'key_lost', customerId, name: null, scopes: ['runs:read'] as const, secretHash, expiresAt: null }
  const rotation = { id: key.id, customerId, secretHash: Buffer.alloc(32), overlapSeconds: 9, by, seed }
  const owner = { customerId, level: 'subject', label: 'user-42' } as const
  const hook = { customerId, id: newUuid() }
  const sealed = (text: string) => ({ keyId: 1, bytes: Buffer.from(text) })
  const newHook = { ...hook, url: 'x', eventTypes: ['run.created'] as const, sealed: sealed('a') }
  const body = { subjectId: null, shown: '{}', sealed: sealed('c') }
  const times = { cron: '* * * * *', timeZone: 'UTC', catchUp: 'skip' } as const
  const schedule = {
    ...{ customerId, id: newUuid(), name: null, ...times, subjectId: null, shown: '{}', sealed: sealed('a') },
    firstTick: (now: Date) => now,
  }
  const run = newRun({ customerId, id: newUuid() })
  await new RunCreator(database, quiet).create(run)
  const acts: Partial<Record<AuditAction, () => Promise<unknown>>> = {
    'run.cancel': () => cancel(new RunLog(database, quiet), run),
    'key.create': () => insertKey(database, key, { maxLiveKeys: 9, by, seed }),
    'key.rotate': () => rotateLiveKey(database, rotation),
    'key.revoke': () => revokeKeyOnce(database, { customerId, id: key.id, by }),
    'budget.set': () => putBudget(database, owner, { period: 'day', tokens: 5, atMost: 9, by }),
    'budget.delete': () => deleteBudget(database, owner, by),
    'webhook.create': () => insertWebhook(database, newHook, { atMost: 9, by, seed }),
    'webhook.update': () => changeWebhook(database, { ...hook, by }, { paused: true }),
    'webhook.rotate': () => rotateWebhook(database, { ...hook, sealed: sealed('b'), overlapSeconds: 9, by, seed }),
    'webhook.delete': () => deleteWebhook(database, { ...hook, by }),
    'schedule.create': () => insertSchedule(database, schedule, { atMost: 9, by }),
    'schedule.update': () =>
      changeSchedule(database, { ...schedule, by }, () => ({ ...schedule, cron: '5 * * * *', body })),
    'schedule.delete': () => deleteSchedule(database, { ...schedule, by }),
    'customer.suspend': () => suspendCustomer(database, customerId),
    'run.delete': () => removeRunIfEnded(database, run, by),
  }
  for (const act of Object.values(acts)) {
    database.isLosing = true
    await act()
    expect(database.isLosing).toBe(false)
  }
  expect(await actionsOf(customerId)).toEqual(Object.keys(acts))
  await database.close()
})

test('processes that chain at the same time do not fork a chain, and lose nothing', async () => {
  const ids = [await newCustomer(), await newCustomer(), await newCustomer()]
  await fresh.database.run({
    text: `insert into audit_queue (customer_id, at, action, key_id, via, target)
    select c, now(), 'key.create', 'key_1', 'api', 'key_' || n from unnest($1::text[]) c, generate_series(1, 200) n`,
    values: [ids],
  })
  const databases = Array.from({ length: 6 }, () => fresh.open(1))
  const counts = await Promise.all(
    databases.map(async (database) => {
      let count = 0
      for (let taken = -1; taken !== 0; count += taken) taken = await chainActs(database, 17)
      return count
    }),
  )
  await Promise.all(databases.map((database) => database.close()))
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(600)
  for (const customerId of ids) {
    const entries = await entriesOf(customerId)
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    expect(new Set(entries.map(({ target }) => target)).size).toBe(200)
    expect(await problemOf(customerId)).toBeUndefined()
  }
})

test('acts of a customer that is being moved wait for its new cell', async () => {
  const customerId = await newCustomer()
  await cancelledRun(customerId)
  const move = (state: string | null) =>
    fresh.database.run({
      text: 'update customers set move = $2, move_cell = $2 where id = $1',
      values: [customerId, state],
    })
  await move('held')
  expect(await actionsOf(customerId)).toEqual([])
  await move(null)
  expect(await actionsOf(customerId)).toEqual(['run.cancel'])
})

const waitingForLocks = async () => {
  const text = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return (await fresh.database.run({ text })).length
}

test('an erased customer leaves nothing, even if its acts are being chained', async () => {
  const customerId = await newCustomer()
  await cancelledRun(customerId)
  await chainActs(fresh.database, 10)
  let erased: Promise<void> | undefined
  await fresh.database.transaction(async (client) => {
    await client.query('lock table audit_heads in row exclusive mode')
    erased = forgetCustomer(fresh.database, customerId)
    await expect.poll(waitingForLocks).toBe(1)
    await client.query(
      `insert into audit_entries (customer_id, seq, at, action, via, details, hash)
      values ($1, 2, now(), 'run.cancel', 'api', '{}', sha256('x'))`,
      [customerId],
    )
  })
  await erased
  expect(await listEntries(fresh.database, { customerId, limit: 9 })).toEqual([])
  expect(await listHeads(fresh.database, customerId)).toEqual([])
})
