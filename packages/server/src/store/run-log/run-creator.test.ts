import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { startProxy } from '../../../test/support/proxy.ts'
import { Database } from '../postgres/database.ts'
import { RunCreator } from './run-creator.ts'
import type { Committed } from './run-log.ts'

let fresh: FreshDatabase
let creator: RunCreator
const announced: Committed[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  creator = new RunCreator(fresh.database, (committed) => announced.push(...committed))
})
afterAll(() => fresh.drop())

const countOf = async (table: string) =>
  (await fresh.database.query<{ count: number }>({ text: `select count(*) as count from ${table}` }))[0]?.count

test('a run comes with its input, its first event and its usage record', async () => {
  const run = newRun({ workspaceId: 'w', subjectId: 's', plan: { steps: [] }, streaming: false })
  expect(await creator.create(run)).toMatchObject({ outcome: 'created' })
  const [row] = await fresh.database.query({
    text: `
select r.state, r.next_seq, i.streaming, i.plan, e.type, e.payload, u.event_type, u.quantity, u.workspace_id, u.subject_id
from runs r
join run_inputs i on i.run_id = r.id
join events e on e.run_id = r.id
join usage_records u on u.run_id = r.id
where r.id = $1`,
    values: [run.id],
  })
  expect(row).toEqual({
    state: 'queued',
    next_seq: 2,
    streaming: false,
    plan: '{"steps":[]}',
    type: 'run.created',
    payload: run.createdPayload,
    event_type: 'run.created',
    quantity: 1,
    workspace_id: 'w',
    subject_id: 's',
  })
})

test('a batch is metered by its labels: no label, an empty label and other labels stay apart', async () => {
  const labels = [null, '', 'a', 'b', 'null']
  const batch = labels.flatMap((workspaceId) =>
    labels.flatMap((subjectId, n) =>
      ['one', 'two'].flatMap((customerId) =>
        Array.from({ length: n + 1 }, () => newRun({ customerId, workspaceId, subjectId })),
      ),
    ),
  )
  const atOnce = new RunCreator(fresh.database, () => undefined, { enough: batch.length })
  await Promise.all(batch.map((run) => atOnce.create(run)))
  const deltas = await fresh.database.query({
    text: `
select customer_id, workspace_id, subject_id, count, quantity
from usage_deltas
where customer_id in ('one', 'two')`,
  })
  const expected = ['one', 'two'].flatMap((customer_id) =>
    labels.flatMap((workspace_id) =>
      labels.map((subject_id, n) => ({ customer_id, workspace_id, subject_id, count: n + 1, quantity: n + 1 })),
    ),
  )
  expect(deltas).toHaveLength(expected.length)
  expect(deltas).toEqual(expect.arrayContaining(expected))
})

test('fifty creates at once with one key create one run, and all return it', async () => {
  const before = await countOf('runs')
  const runs = Array.from({ length: 50 }, () => newRun({ idempotencyKey: 'the same' }))
  const outcomes = await Promise.all(runs.map((run) => creator.create(run)))
  const ids = outcomes.map((outcome, n) => (outcome.outcome === 'exists' ? outcome.run.id : runs[n]?.id))
  expect(new Set(ids).size).toBe(1)
  expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
  expect(await countOf('runs')).toBe((before ?? 0) + 1)
})

test('a used key among new ones does not affect them, and the next batch uses the careful statement', async () => {
  const taken = newRun({ idempotencyKey: 'taken' })
  await creator.create(taken)
  const before = (await countOf('runs')) ?? 0
  for (const round of [1, 2]) {
    const runs = [newRun(), newRun({ idempotencyKey: 'taken' }), newRun({ workspaceId: `round ${round}` })]
    const outcomes = await Promise.all(runs.map((run) => creator.create(run)))
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'exists', 'created'])
    expect(outcomes[1]).toMatchObject({ run: { id: taken.id } })
    for (const table of ['runs', 'run_inputs', 'events', 'usage_records']) {
      expect(await countOf(table)).toBe(before + 2 * round)
    }
  }
})

test('everything that a run is created with is stored, by both statements', async () => {
  const given = {
    attachmentRefs: ['one', 'two'],
    sensitivityTags: [{ path: '/input/a' }],
    sealed: { bytes: Buffer.from([0, 1, 255]), keyId: 7 },
    streaming: true,
    plan: { version: 2 },
  }
  const careful = new RunCreator(fresh.database, () => undefined)
  await careful.create(newRun({ idempotencyKey: 'taken' }))
  for (const one of [new RunCreator(fresh.database, () => undefined), careful]) {
    const run = newRun(given)
    await one.create(run)
    const text = 'select * from runs join run_inputs on run_id = id where id = $1'
    const [row] = await fresh.database.query({ text, values: [run.id] })
    expect(row).toMatchObject({
      id: run.id,
      customer_id: run.customerId,
      idempotency_key: run.idempotencyKey,
      request_id: run.requestId,
      run_class: run.runClass,
      body_hash: run.bodyHash,
      input: run.input,
      metadata: run.metadata,
      attachment_refs: '["one","two"]',
      sensitivity_tags: '[{"path":"/input/a"}]',
      sealed: given.sealed.bytes,
      sealed_key: 7,
      streaming: true,
      plan: '{"version":2}',
      token_limit: run.limits.tokens,
      duration_seconds: run.limits.durationSeconds,
      signal_timeout_seconds: run.limits.signalTimeoutSeconds,
    })
    const { created_at, deadline_at } = row as { created_at: Date; deadline_at: Date }
    expect(deadline_at.getTime() - created_at.getTime()).toBe(run.limits.durationSeconds * 1000)
  }
})

test.each([
  [{}, {}],
  [{ attachmentRefs: ['one'] }, { attachment_refs: '["one"]' }],
  [{ sensitivityTags: [] }, { sensitivity_tags: '[]' }],
  [{ streaming: false }, { streaming: false }],
  [{ plan: { version: 2 } }, { plan: '{"version":2}' }],
])('optional values are stored in a batch with runs that have none: %j', async (given, stored) => {
  const run = newRun(given)
  const atOnce = new RunCreator(fresh.database, () => undefined, { enough: 3 })
  await Promise.all([newRun(), run, newRun()].map((one) => atOnce.create(one)))
  const [row] = await fresh.database.query({
    text: 'select attachment_refs, sensitivity_tags, streaming, plan, sealed, sealed_key from run_inputs where run_id = $1',
    values: [run.id],
  })
  const nothing = {
    attachment_refs: null,
    sensitivity_tags: null,
    streaming: null,
    plan: null,
    sealed: null,
    sealed_key: null,
  }
  expect(row).toEqual({ ...nothing, ...stored })
})

test('two processes that create the same keys in opposite order do not deadlock', async () => {
  const refusals: unknown[] = []
  const processes = [1, 2].map(() => {
    const database = fresh.open(1)
    const runBatch = database.runBatch.bind(database)
    database.runBatch = (statement, items) =>
      runBatch(statement, items).catch((error) => {
        refusals.push(error.code)
        throw error
      }) as Promise<never[]>
    return database
  })
  for (let round = 1; round <= 10; round += 1) {
    // Connected, and with the statement that expects new keys.
    await Promise.all(processes.map((database) => database.run({ text: 'select 1' })))
    const creators = processes.map((database) => new RunCreator(database, () => undefined, { enough: 1_000 }))
    const keys = Array.from({ length: 100 }, (_, n) => ({
      customerId: n % 2 === 0 ? 'acme' : 'other',
      idempotencyKey: `round ${round}, key ${n}`,
    }))
    const outcomes = await Promise.all(
      [keys, keys.toReversed()].flatMap((order, n) =>
        order.map((key) => (creators[n] as RunCreator).create(newRun(key))),
      ),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(100)
  }
  // The second process found the keys used.
  expect(new Set(refusals)).toEqual(new Set(['23505']))
})

test('the same key of two customers makes two runs', async () => {
  const outcomes = await Promise.all(
    ['acme', 'other'].map((customerId) => creator.create(newRun({ customerId, idempotencyKey: 'shared' }))),
  )
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created'])
})

test('a bad run does not fail the others of its flush', async () => {
  const runs = [newRun(), newRun({ runClass: 'no such class' as 'default' }), newRun()]
  const outcomes = await Promise.allSettled(runs.map((run) => creator.create(run)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('a create whose answer is lost is retried and finds its own run', async () => {
  const proxy = await startProxy(fresh.connection)
  const database = new Database({ connection: proxy.connection, maxConnections: 1, applicationName: 'test' })
  const cut = new RunCreator(database, () => undefined)
  await cut.create(newRun())
  proxy.loseNextAnswer()
  expect(await cut.create(newRun())).toMatchObject({ outcome: 'created' })
  expect(proxy.lost).toBe(1)
  await database.close()
  await proxy.close()
})

test('a new run is announced as claimable with its event', () => {
  expect(announced[0]).toMatchObject({ state: 'queued', claimable: true, events: [{ seq: 1, type: 'run.created' }] })
})
