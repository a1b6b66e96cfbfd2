import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { startProxy } from '../../../test/support/proxy.ts'
import { Database, type Row, type Statement } from '../postgres/database.ts'
import { findEvents } from '../runs/events.ts'
import { changeStatement } from './change-statement.ts'
import { changeValues, statusOfLockedRow } from './change-values.ts'
import { forgetCustomer } from './forget-customer.ts'
import { renderChange } from './render-change.ts'
import type { RunChange } from './run-change.ts'
import { RunCreator } from './run-creator.ts'
import { type Committed, RunLog } from './run-log.ts'

let fresh: FreshDatabase
let log: RunLog
const announced: Committed[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  log = new RunLog(fresh.open(2), (committed) => announced.push(...committed))
})
afterAll(() => fresh.drop())

const worker = randomUUID()
const customerId = 'acme'

async function createdRun(): Promise<string> {
  const run = newRun()
  await new RunCreator(fresh.database, () => undefined).create(run)
  return run.id
}

const started = (runId: string): RunChange => ({
  runId,
  customerId,
  epoch: null,
  trigger: 'claim',
  lease: { workerId: worker, ms: 60_000 },
  events: [{ type: 'run.worker.started', payload: { from_status: statusOfLockedRow, to_status: 'running' } }],
})

const progress = (runId: string, content: string, more: Partial<RunChange> = {}): RunChange => ({
  runId,
  customerId,
  epoch: 1,
  trigger: 'progress',
  events: [{ type: 'step.progress', payload: { kind: 'content_delta', content_delta: content } }],
  ...more,
})

const awaiting = (runId: string, timeoutMs = 60_000): RunChange => ({
  runId,
  customerId,
  epoch: 1,
  trigger: 'await_input',
  wait: { reasonCode: 'input_required', inputKind: null, prompt: 'Pay?', timeoutMs, key: 'gate:0/pay' },
  events: [
    { type: 'run.coordination.decision', payload: {} },
    { type: 'run.awaiting_input', payload: { reason_code: 'input_required' } },
  ],
})

const failed = (runId: string): RunChange => ({
  runId,
  customerId,
  epoch: null,
  trigger: 'fail',
  events: [
    { type: 'run.worker.failed', payload: { from_status: statusOfLockedRow, to_status: 'failed' }, terminal: true },
  ],
})

async function runningRun(): Promise<string> {
  const runId = await createdRun()
  await log.apply(started(runId))
  return runId
}

const eventsOf = (id: string) => findEvents(fresh.database, { customerId, id }, { after: 0, limit: 200 })
const rowOf = async (id: string) =>
  (await fresh.database.query({ text: 'select * from runs where id = $1', values: [id] }))[0]

describe('a change to a run', () => {
  test('sets the state, assigns the next seq and inserts the status of the locked row', async () => {
    const runId = await createdRun()
    const outcome = await log.apply(started(runId))
    expect(outcome).toMatchObject({ outcome: 'applied', was: 'queued', epoch: 1, firstSeq: 2 })
    expect(await rowOf(runId)).toMatchObject({
      state: 'running',
      epoch: 1,
      next_seq: 3,
      worker_id: worker,
      ready_at: null,
    })
    const [, event] = (await eventsOf(runId)) ?? []
    expect(JSON.parse(event?.payload ?? '')).toEqual({ from_status: 'queued', to_status: 'running' })
  })

  test('is announced with the events as they are stored', async () => {
    const runId = await runningRun()
    await log.apply(progress(runId, 'x'))
    await log.apply(failed(runId))
    const told = announced.filter((committed) => committed.runId === runId).flatMap(({ events }) => events)
    expect(told).toEqual((await eventsOf(runId))?.slice(1))
  })

  test('without a new state leaves state, lease and wait as they are', async () => {
    const runId = await runningRun()
    const before = await rowOf(runId)
    await log.apply({ runId, customerId, epoch: null, trigger: 'progress', tokens: 5 })
    expect(await rowOf(runId)).toEqual({ ...before, tokens: 5 })
  })

  test('that begins a wait stores what it waits for, and the answer clears it', async () => {
    const runId = await runningRun()
    const outcome = await log.apply(awaiting(runId))
    expect(outcome).toMatchObject({ firstSeq: 3 })
    expect(await rowOf(runId)).toMatchObject({
      state: 'awaiting_input',
      await_seq: 4,
      worker_id: null,
      lease_until: null,
    })
    const answer: RunChange = {
      runId,
      customerId,
      epoch: null,
      trigger: 'approve',
      readyInMs: 0,
    }
    expect((await log.apply(answer)).outcome).toBe('applied')
    expect(await rowOf(runId)).toMatchObject({ state: 'running', await_seq: null, await_until: null, wait: null })
  })

  test('writes a delta of its usage, in the hour of its records', async () => {
    const runId = await createdRun()
    await fresh.database.query({ text: 'delete from usage_deltas' })
    const usage = [1, 2].map((n) => ({ key: `tokens:${n}`, eventType: 'tokens.consumed' as const, quantity: 10 * n }))
    await log.apply({ ...started(runId), usage, tokens: 30 })
    expect(
      await fresh.database.query({
        text: `
select d.customer_id, d.event_type, d.count, d.quantity, d.hour = date_trunc('hour', r.updated_at, 'UTC') as same_hour
from usage_deltas d, runs r
where r.id = $1`,
        values: [runId],
      }),
    ).toEqual([{ customer_id: 'acme', event_type: 'tokens.consumed', count: 2, quantity: 30, same_hour: true }])
  })

  test('stores a memory item with the customer and labels of the run', async () => {
    const runId = await createdRun()
    const memory = {
      id: randomUUID(),
      kind: 'episode' as const,
      harness: true,
      title: 'What happened',
      content: 'All went well, \u2028 "they" said.',
      tags: ['a', 'b,c'],
    }
    await log.apply({ ...started(runId), memory })
    expect(
      await fresh.database.query({
        text: 'select customer_id, run_id, kind, harness, status, title, content, tags from memory_items where id = $1',
        values: [memory.id],
      }),
    ).toEqual([
      {
        customer_id: 'acme',
        run_id: runId,
        kind: 'episode',
        harness: true,
        status: 'active',
        title: memory.title,
        content: memory.content,
        tags: memory.tags,
      },
    ])
  })

  test('that retries a run begins the next attempt', async () => {
    const runId = await runningRun()
    await log.apply(failed(runId))
    await log.apply({ runId, customerId, epoch: null, trigger: 'retry', readyInMs: 0, startsAttempt: true })
    const rows = await fresh.database.query({ text: 'select attempt from runs where id = $1', values: [runId] })
    expect(rows).toEqual([{ attempt: 2 }])
  })

  test('replaces characters that PostgreSQL cannot store', async () => {
    const runId = await runningRun()
    await log.apply(progress(runId, 'a\0b\ud800c\\u0000'))
    expect(JSON.parse((await eventsOf(runId))?.at(-1)?.payload ?? '').content_delta).toBe('a\ufffdb\ufffdc\\u0000')
  })
})

describe('a change is refused', () => {
  test('as missing when there is no such run, or it belongs to another customer', async () => {
    const runId = await runningRun()
    expect(await log.apply(progress(randomUUID(), 'x'))).toEqual({ outcome: 'missing', was: undefined })
    expect((await log.apply(progress(runId, 'x', { customerId: 'other' }))).outcome).toBe('missing')
  })

  test('when the worker’s epoch is old', async () => {
    const runId = await runningRun()
    expect((await log.apply(progress(runId, 'x', { epoch: 0 }))).outcome).toBe('lease_lost')
    expect(await eventsOf(runId)).toHaveLength(2)
  })

  test('when another worker holds the run, or none, under the same epoch', async () => {
    const runId = await runningRun()
    expect((await log.apply(progress(runId, 'x', { workerId: randomUUID() }))).outcome).toBe('lease_lost')
    expect((await log.apply(progress(runId, 'x', { workerId: worker }))).outcome).toBe('applied')
    await fresh.database.run({
      text: 'update runs set worker_id = null, lease_until = null, ready_at = now() where id = $1',
      values: [runId],
    })
    expect((await log.apply(progress(runId, 'x', { workerId: worker }))).outcome).toBe('lease_lost')
  })

  test('when the state does not allow it, and the outcome names the state', async () => {
    expect(await log.apply(started(await runningRun()))).toEqual({ outcome: 'wrong_state', was: 'running' })
  })

  test('when it answers another wait', async () => {
    const runId = await runningRun()
    await log.apply(awaiting(runId))
    const answer = (awaitSeq: number): RunChange => ({
      runId,
      customerId,
      epoch: null,
      trigger: 'approve',
      readyInMs: 0,
      awaitSeq,
    })
    expect((await log.apply(answer(3))).outcome).toBe('other_wait')
    expect((await log.apply(answer(4))).outcome).toBe('applied')
  })

  test.each(['lease_expired', 'step_expired', 'deadline_passed'] as const)(
    'when it is too early for %s',
    async (guard) => {
      expect((await log.apply({ ...failed(await runningRun()), guard })).outcome).toBe('too_early')
    },
  )

  test('when a wait has not expired, and is applied when it has', async () => {
    const [patient, overdue] = [await runningRun(), await runningRun()]
    await log.apply(awaiting(patient))
    await log.apply(awaiting(overdue, 0))
    const expire = (runId: string): RunChange => ({
      ...failed(runId),
      trigger: 'signal_timeout_fail',
      guard: 'wait_expired',
    })
    expect((await log.apply(expire(patient))).outcome).toBe('too_early')
    expect((await log.apply(expire(overdue))).outcome).toBe('applied')
  })

  test('by the schema when an attempt would end twice', async () => {
    const runId = await runningRun()
    expect((await log.apply(failed(runId))).outcome).toBe('applied')
    expect((await log.apply({ ...failed(runId), trigger: 'meter' })).outcome).toBe('duplicate')
    expect(await eventsOf(runId)).toHaveLength(3)
  })
})

describe('changes in one flush', () => {
  test('of one run are applied one after another, in the order they came', async () => {
    const runId = await runningRun()
    await Promise.all(['a', 'b', 'c'].map((content) => log.apply(progress(runId, content))))
    const contents = (await eventsOf(runId))?.slice(2).map((event) => JSON.parse(event.payload).content_delta)
    expect(contents).toEqual(['a', 'b', 'c'])
  })

  test('are applied when one of them is refused by the database', async () => {
    const runs = await Promise.all([runningRun(), runningRun(), runningRun()])
    const badUsage = { usage: [{ key: 'x', eventType: 'no.such' as 'run.created', quantity: 1 }] }
    const outcomes = await Promise.allSettled(
      runs.map((runId, index) => log.apply(progress(runId, 'x', index === 1 ? badUsage : {}))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await Promise.all(runs.map(async (runId) => (await eventsOf(runId))?.length))).toEqual([3, 2, 3])
  })

  test('are not applied behind one of the same worker that was not: they may rest on it', async () => {
    const runId = await runningRun()
    const bad = { usage: [{ key: 'x', eventType: 'no.such' as 'run.created', quantity: 1 }], isAlone: true } as const
    const meter: RunChange = { runId, customerId, epoch: null, trigger: 'meter', tokens: 7 }
    const outcomes = await Promise.allSettled([
      log.apply(progress(runId, 'lost', bad)),
      log.apply(progress(runId, 'rests on it', { journal: [{ key: 'result:c0', body: {} }] })),
      log.apply(meter),
      log.apply(progress(runId, 'rests on it, too')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected'])
    expect(await eventsOf(runId)).toHaveLength(2)
    expect(await rowOf(runId)).toMatchObject({ tokens: 7 })
    // Nothing is remembered: what is sent after the failure is known is applied.
    expect(await log.apply(progress(runId, 'later'))).toMatchObject({ outcome: 'applied' })
  })

  test('report two changes of one run in one statement: the second would be lost', async () => {
    const runId = await runningRun()
    const values = changeValues([renderChange(progress(runId, 'a')), renderChange(progress(runId, 'b'))])
    const rows = await fresh.database.run<{ outcome: string }>({ text: changeStatement, values })
    expect(rows.map(({ outcome }) => outcome).toSorted()).toEqual(['again', 'applied'])
  })
})

test('a commit whose answer is lost is applied once, and its outcome is known', async () => {
  const runId = await runningRun()
  const proxy = await startProxy(fresh.connection)
  const database = new Database({ connection: proxy.connection, maxConnections: 1, applicationName: 'test' })
  const cutLog = new RunLog(database, () => undefined)
  await cutLog.apply(progress(runId, 'warm-up'))
  proxy.loseNextAnswer()
  const outcome = await cutLog.apply(progress(runId, 'once', { tokens: 3 }))
  expect(proxy.lost).toBe(1)
  expect(outcome).toMatchObject({ outcome: 'applied', firstSeq: 4, was: 'running' })
  expect(await rowOf(runId)).toMatchObject({ next_seq: 5, tokens: 3 })
  await database.close()
  await proxy.close()
})

/** Loses the answer to the next statement about the customer `gone`, after something else has happened. */
class LossyDatabase extends Database {
  whenLost: (() => Promise<unknown>) | undefined

  override async run<R extends Row = Row>(statement: Statement): Promise<R[]> {
    const rows = await super.run<R>(statement)
    const { whenLost } = this
    if (!whenLost || !String(statement.values?.[0]).includes('"gone"')) return rows
    this.whenLost = undefined
    await whenLost()
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
}

test('the outcomes of a batch of several customers are known, except those of one that was erased meanwhile', async () => {
  const runs = [newRun({ customerId: 'one' }), newRun({ customerId: 'two' }), newRun({ customerId: 'gone' })]
  for (const run of runs) await new RunCreator(fresh.database, () => undefined).create(run)
  const database = new LossyDatabase(fresh.database.options)
  const lossyLog = new RunLog(database, () => undefined)
  database.whenLost = () => forgetCustomer(fresh.database, 'gone')
  const cancel = (customerId: string, runId: string) =>
    lossyLog.apply({ customerId, runId, epoch: null, trigger: 'cancel' })
  // The first change is committed alone, and those that came meanwhile together.
  const first = cancel(customerId, randomUUID())
  const others = runs.map((run) => cancel(run.customerId, run.id))
  await first
  expect((await Promise.all(others)).map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'missing'])
  expect(database.whenLost).toBeUndefined()
  await database.close()
})

test('texts of the outside world may have characters that PostgreSQL cannot store', async () => {
  const runId = await runningRun()
  const bad = 'a\0b\ud800'
  const change = progress(runId, bad, {
    journal: [{ key: bad, body: { bad } }],
    usage: [{ key: bad, eventType: 'task.completed', quantity: 1 }],
  })
  expect((await log.apply(change)).outcome).toBe('applied')
  const text = 'select key from journal where run_id = $1 union all select key from usage_rows where run_id = $1'
  const keys = await fresh.database.query({ text, values: [runId] })
  expect(keys).toEqual([{ key: 'a\ufffdb\ufffd' }, { key: 'a\ufffdb\ufffd' }])
})
