import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { operator } from '../../domain/actor.ts'
import type { Database } from '../postgres/database.ts'
import { auditUsage, repairUsage } from '../usage/audit.ts'
import { foldDeltas } from '../usage/fold.ts'
import { expireHours } from '../usage/hours.ts'
import { listUsageRecords } from '../usage/records.ts'
import { readUsage } from '../usage/usage.ts'
import type { NewRun } from './create-statement.ts'
import { removeRunIfEnded } from './remove-runs.ts'
import { keyHash } from './removed-keys.ts'
import type { TurnBody } from './run-change.ts'
import { RunCreator } from './run-creator.ts'
import { RunLog } from './run-log.ts'

let fresh: FreshDatabase
let creator: RunCreator
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: "insert into customers (id) values ('acme'), ('metered')" })
  creator = new RunCreator(fresh.database, () => undefined)
})
afterAll(() => fresh.drop())

/** A run with a row in every table that a run writes to. */
async function fullRun(changes: Partial<NewRun> = {}): Promise<NewRun> {
  const run = newRun(changes)
  await creator.create(run)
  const { id: runId, customerId } = run
  await new RunLog(fresh.database, () => undefined).apply({
    ...{ runId, customerId, epoch: null, trigger: 'cancel' },
    events: [{ type: 'run.cancelled', payload: {}, terminal: true }],
    journal: [{ key: 'done:0/a', body: {} }],
    usage: [
      { key: 'a', eventType: 'tokens.consumed', quantity: 40 },
      { key: 'b', eventType: 'tokens.consumed', quantity: 2 },
      { key: 'c', eventType: 'tool.invoked', quantity: 1 },
    ],
    tokens: 42,
    result: { redacted: false, value: {} },
    memory: { id: runId, kind: 'episode', harness: true, title: 'Run', content: 'text', tags: [] },
    turns: [
      {
        ...{ attempt: 1, epoch: 1, taskKey: '0/a', callKey: '0/a:1', role: 'worker', leftMs: 0, shared: 0, size: 4 },
        ...{ messages: [], body: {} as TurnBody },
      },
    ],
  })
  await fresh.database.run({
    text: `
insert into signals (customer_id, run_id, seq, body_hash, action, key_id, via, asked, asked_content)
values ($1, $2, 9, sha256(''), 'approve', 'key_1', 'api', '{}', '{}')`,
    values: [customerId, runId],
  })
  return run
}

const remove = ({ customerId, id }: NewRun) => removeRunIfEnded(fresh.database, { customerId, id }, operator)

/** The tables with a row that names the run, in any column. */
async function tablesWith(id: string): Promise<string[]> {
  const tables = await fresh.database.query<{ name: string }>({
    text: "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  })
  const found: string[] = []
  for (const { name } of tables) {
    const text = `select from "${name}" t where t::text like '%' || $1 || '%'`
    if ((await fresh.database.run({ text, values: [id] })).length > 0) found.push(name)
  }
  return found
}

test('a removed run leaves no row that names it, and other runs stay whole', async () => {
  const [run, other] = [await fullRun(), await fullRun()]
  const tables = await tablesWith(run.id)
  expect(tables).toEqual([
    ...['event_rows', 'journal', 'memory_items', 'run_inputs', 'run_results', 'runs', 'signals', 'turns', 'usage_rows'],
  ])
  expect(await remove(run)).toBe('cancelled')
  expect(await tablesWith(run.id)).toEqual([])
  expect(await tablesWith(other.id)).toEqual(tables)
})

test('a run that has not ended stays, and so does that of another customer', async () => {
  const run = newRun()
  await creator.create(run)
  expect(await remove(run)).toBe('queued')
  const ended = await fullRun()
  expect(await remove({ ...ended, customerId: 'globex' })).toBeUndefined()
  expect(await tablesWith(run.id)).toContain('runs')
  expect(await tablesWith(ended.id)).toContain('runs')
})

test('a note that an agent saved during the run stays', async () => {
  const run = await fullRun()
  await fresh.database.run({
    text: `
insert into memory_items (customer_id, id, run_id, kind, title, content, created_at, updated_at)
values ('acme', gen_random_uuid(), $1, 'fact', 'Note', 'text', now(), now())`,
    values: [run.id],
  })
  await remove(run)
  expect(await tablesWith(run.id)).toEqual(['memory_items'])
})

const now = '2026-11-17T10:00:00Z'
const usageOf = (granularity: 'hour' | 'day', start: string, end: string) =>
  readUsage(fresh.database, {
    ...{ customerId: 'metered', granularity, range: { start, end }, now, maxRows: 1_000, maxBytes: 1_000_000 },
    ...{ workspaceId: undefined, subjectId: undefined, eventType: undefined, byWorkspace: true, bySubject: true },
  })

/** Moves the usage of a customer into the past, as its records and as its totals. */
const moveTo = (at: string) =>
  Promise.all([
    fresh.database.run({ text: "update runs set created_at = $1 where customer_id = 'metered'", values: [at] }),
    fresh.database.run({ text: "update usage_rows set at = $1 where customer_id = 'metered'", values: [at] }),
    fresh.database.run({
      text: "update usage_deltas set hour = date_trunc('hour', $1::timestamptz) where customer_id = 'metered'",
      values: [at],
    }),
  ])

test('usage is the same after the removal: totals, hours that have expired, and what an audit finds', async () => {
  const labels = { customerId: 'metered', workspaceId: 'w', subjectId: 's' }
  const [run] = [await fullRun(labels), await fullRun(labels), await fullRun({ customerId: 'metered' })]
  await moveTo('2026-09-01T10:20:00Z')
  while ((await foldDeltas(fresh.database, 100)) > 0);
  while ((await expireHours(fresh.database, new Date('2026-10-01T00:00:00Z'), 10)) > 0);
  const questions: Parameters<typeof usageOf>[] = [
    ['day', '2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z'],
    ['hour', '2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z'],
    // It cuts the hour before, and after the records.
    ['hour', '2026-09-01T10:00:00Z', '2026-09-01T10:50:00Z'],
    ['hour', '2026-09-01T10:50:00Z', '2026-09-01T12:00:00Z'],
  ]
  const answers = () => Promise.all(questions.map((question) => usageOf(...question)))
  const before = await answers()
  expect(before.map((rows) => rows?.length)).toEqual([6, 6, 6, 0])
  await remove(run)
  expect(await answers()).toEqual(before)
  expect((await auditUsage(fresh.database, 'metered')).differences).toEqual([])
  await fresh.database.run({
    text: "update usage_totals set quantity = 1 where customer_id = 'metered' and grain = 'month'",
  })
  await repairUsage(fresh.database, (await auditUsage(fresh.database, 'metered')).wrongMonths)
  expect((await auditUsage(fresh.database, 'metered')).differences).toEqual([])
  expect(await answers()).toEqual(before)
})

test('the list of usage records has those of runs that are there', async () => {
  const range = { start: '2026-09-01T00:00:00Z', end: '2026-10-01T00:00:00Z' }
  const none = { workspaceId: undefined, subjectId: undefined, eventType: undefined, after: undefined }
  const records = await listUsageRecords(fresh.database, { customerId: 'metered', range, ...none, limit: 100 })
  expect(new Set(records.map(({ runId }) => runId)).size).toBe(2)
})

const createAgain = ({ customerId, idempotencyKey }: NewRun, by = creator) =>
  by.create(newRun({ customerId, idempotencyKey }))

test('a create with the key of a removed run creates nothing, and others in its batch are created', async () => {
  const run = await fullRun()
  await remove(run)
  for (const _round of ['at once', 'careful']) {
    const [again, other] = await Promise.all([createAgain(run), creator.create(newRun())])
    expect(again).toEqual({ outcome: 'removed' })
    expect(other).toMatchObject({ outcome: 'created' })
  }
  expect(await creator.find(run.customerId, run.idempotencyKey)).toEqual({ outcome: 'removed' })
  expect(await createAgain({ ...run, customerId: 'globex' })).toMatchObject({ outcome: 'created' })
})

/** Removes a run, and starts a create with its key before the commit. */
async function createDuringRemoval(run: NewRun, by: RunCreator, database: Database) {
  let creating: ReturnType<RunCreator['create']> | undefined
  await database.transaction(async (client) => {
    await client.query('delete from runs where id = $1', [run.id])
    await client.query('insert into removed_keys (customer_id, key_hash) values ($1, $2)', [
      run.customerId,
      keyHash(run.customerId, run.idempotencyKey),
    ])
    creating = createAgain(run, by)
    const waits = "select from pg_stat_activity where query like '%insert into runs%' and wait_event_type = 'Lock'"
    await expect.poll(() => fresh.database.run({ text: waits })).toHaveLength(1)
  })
  return creating
}

test('a create that waits for the removal of the run with its key creates no second run', async () => {
  const optimistic = new RunCreator(fresh.open(2), () => undefined)
  expect(await createDuringRemoval(await fullRun(), optimistic, fresh.open(1))).toEqual({ outcome: 'removed' })
  const careful = new RunCreator(fresh.open(2), () => undefined)
  const used = await fullRun()
  await createAgain(used, careful)
  expect(await createDuringRemoval(await fullRun(), careful, fresh.open(1))).toEqual({ outcome: 'removed' })
})
