import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import type { RetentionDays } from '../domain/run/retention.ts'
import type { NewRun } from '../store/run-log/create-statement.ts'
import { removeEndedRuns } from '../store/run-log/remove-runs.ts'
import { keyHash } from '../store/run-log/removed-keys.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import type { Committed } from '../store/run-log/run-log.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { retentionMetrics } from '../telemetry/watch-retention.ts'
import { RunRemover } from './remove-runs.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate runs, run_inputs, removed_keys; truncate customers cascade' })
  await fresh.database.run({ text: "insert into customers (id) values ('acme'), ('globex')" })
})
afterAll(() => fresh.drop())

const day = 24

/** A run that ended so many days ago. */
async function endedRun(days: number, state = 'succeeded', changes: Partial<NewRun> = {}): Promise<string> {
  const run = newRun(changes)
  await new RunCreator(fresh.database, () => undefined).create(run)
  await fresh.database.run({
    text: `
update runs
set state = $2::text,
  epoch = 5,
  ready_at = case when $2::text = 'queued' then updated_at end,
  created_at = created_at - ($3 + 2) * interval '1 hour',
  updated_at = updated_at - $3 * interval '1 hour'
where id = $1`,
    values: [run.id, state, days * day],
  })
  return run.id
}

const restedMs: number[] = []
const rest = async (ms: number) => {
  restedMs.push(ms)
}
const removerOf = (retention: RetentionDays, more: object = {}) =>
  new RunRemover({
    database: fresh.database,
    retention,
    announce: () => undefined,
    mayContinue: () => true,
    rest,
    ...more,
  })
const left = async () => (await fresh.database.run<{ id: string }>({ text: 'select id from runs' })).map(({ id }) => id)
const month = { default: 30, short: 30, long: 30 }

describe('a run is removed', () => {
  test('when it ended longer ago than its retention, and not before', async () => {
    await endedRun(31)
    const young = await endedRun(29)
    expect(await removerOf(month).runOnce()).toEqual({ removed: 1 })
    expect(await left()).toEqual([young])
  })

  test('only when it has ended', async () => {
    const open = await endedRun(400, 'queued')
    await removerOf(month).runOnce()
    expect(await left()).toEqual([open])
  })

  test('never without a retention', async () => {
    await endedRun(36_000)
    expect(await removerOf({}).runOnce()).toEqual({ removed: 0 })
  })

  test('by its class, and by its outcome rather than its class', async () => {
    const retention = { default: 30, short: 7, long: 30, failed: 90 }
    await endedRun(8, 'succeeded', { runClass: 'short' })
    const failed = await endedRun(40, 'failed', { runClass: 'short' })
    const other = await endedRun(8, 'cancelled')
    expect(await removerOf(retention).runOnce()).toEqual({ removed: 1 })
    expect((await left()).toSorted()).toEqual([failed, other].toSorted())
  })

  test('after the days of its customer, if the customer has its own', async () => {
    await fresh.database.run({ text: "update customers set retention_days = 3 where id = 'globex'" })
    await endedRun(4, 'failed', { customerId: 'globex' })
    const acme = await endedRun(4)
    expect(await removerOf({ ...month, failed: 90 }).runOnce()).toEqual({ removed: 1 })
    expect(await left()).toEqual([acme])
    await endedRun(4, 'failed', { customerId: 'globex' })
    expect(await removerOf({}).runOnce()).toEqual({ removed: 1 })
  })

  test('earlier if a hint of its tags says so, and never later', async () => {
    await endedRun(6, 'succeeded', { retentionHintDays: 5 })
    await endedRun(1, 'succeeded', { retentionHintDays: 0 })
    await endedRun(31, 'succeeded', { retentionHintDays: 2_147_483_647 })
    const young = await endedRun(4, 'succeeded', { retentionHintDays: 5 })
    expect(await removerOf(month).runOnce()).toEqual({ removed: 3 })
    expect(await left()).toEqual([young])
    expect(await removerOf({ failed: 1 }).runOnce()).toEqual({ removed: 0 })
  })
})

test('batches are limited in runs and in rows, and it rests after each', async () => {
  for (let n = 0; n < 5; n += 1) await endedRun(40)
  const large = await endedRun(40)
  await fresh.database.run({ text: 'update runs set next_seq = 5000 where id = $1', values: [large] })
  restedMs.length = 0
  const announced: number[] = []
  const announce = (committed: readonly Committed[]) => announced.push(committed.length)
  await removerOf(month, { announce, batch: { runs: 2, rows: 1_000 } }).runOnce()
  expect(announced).toEqual([2, 2, 1, 1])
  expect(restedMs).toHaveLength(4)
  expect(restedMs.every((ms) => ms > 0)).toBe(true)
})

test('it stops when it may not continue, and the next pass continues', async () => {
  for (let n = 0; n < 4; n += 1) await endedRun(40)
  let batches = 0
  const mayContinue = () => batches < 1
  const announce = () => {
    batches += 1
  }
  expect(await removerOf(month, { mayContinue, announce, batch: { runs: 1, rows: 10 } }).runOnce()).toEqual({
    removed: 1,
  })
  expect(await removerOf(month).runOnce()).toEqual({ removed: 3 })
})

test('a run that is retried after it was found stays', async () => {
  const id = await endedRun(40, 'failed')
  const found = { customerId: 'acme', id, epoch: 5 }
  await fresh.database.run({
    text: "update runs set state = 'queued', epoch = 6, ready_at = now() where id = $1",
    values: [id],
  })
  expect(await removeEndedRuns(fresh.database, [found])).toEqual([])
  await fresh.database.run({
    text: "update runs set state = 'failed', epoch = 7, ready_at = null where id = $1",
    values: [id],
  })
  expect(await removeEndedRuns(fresh.database, [found])).toEqual([])
  expect(await left()).toEqual([id])
})

test('keys of removed runs are forgotten after 30 days', async () => {
  await endedRun(40, 'succeeded', { idempotencyKey: 'old' })
  await endedRun(40, 'succeeded', { idempotencyKey: 'new' })
  await removerOf(month).runOnce()
  const age = (key: string, days: number) =>
    fresh.database.run({
      text: "update removed_keys set removed_at = now() - $2 * interval '1 day' where key_hash = $1",
      values: [keyHash('acme', key), days],
    })
  await age('old', 31)
  await age('new', 29)
  await removerOf({}).runOnce()
  const create = (idempotencyKey: string) =>
    new RunCreator(fresh.database, () => undefined).create(newRun({ idempotencyKey }))
  expect(await create('old')).toMatchObject({ outcome: 'created' })
  expect(await create('new')).toEqual({ outcome: 'removed' })
})

describe('metrics', () => {
  const samples = async (metrics: Metrics) =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(/^(runwright_retention\S+) (\S+)$/gm)].map(([, name, value]) => [
        name,
        Number(value),
      ]),
    )
  const removed = 'runwright_retention_removed_runs_total'
  const lastPass = 'runwright_retention_last_pass_timestamp_seconds'

  test('count removed runs batch by batch, and say when the pass ended', async () => {
    for (let n = 0; n < 3; n++) await endedRun(31)
    const metrics = new Metrics()
    const seen: unknown[] = []
    const rest = async () => void seen.push(await samples(metrics))
    const start = Date.now() / 1000
    await removerOf(month, { batch: { runs: 2, rows: 1_000 }, observer: retentionMetrics(metrics), rest }).runOnce()
    expect(seen).toEqual([
      { [removed]: 2, [lastPass]: 0 },
      { [removed]: 3, [lastPass]: 0 },
    ])
    expect((await samples(metrics))[lastPass]).toBeGreaterThanOrEqual(start)
  })

  test('have no end of a pass that was given up', async () => {
    await endedRun(31)
    const metrics = new Metrics()
    await removerOf(month, { observer: retentionMetrics(metrics), mayContinue: () => false }).runOnce()
    expect(await samples(metrics)).toEqual({ [removed]: 0, [lastPass]: 0 })
  })
})
