import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { startProxy } from '../../../test/support/proxy.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { type ConnectionOptions, Database } from './database.ts'
import { DatabaseUnavailableError } from './errors.ts'

let fresh: FreshDatabase
let proxy: Awaited<ReturnType<typeof startProxy>>
const opened: Database[] = []
beforeAll(async () => {
  fresh = await freshDatabase()
  proxy = await startProxy(fresh.connection)
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})
afterAll(async () => {
  await proxy.close()
  await fresh.drop()
})

function pipeline(connection: ConnectionOptions = fresh.connection): Database {
  const database = new Database({ connection, maxConnections: 1, applicationName: 'runwright test', pipeline: true })
  opened.push(database)
  return database
}

const pidOf = async (database: Database) =>
  (await database.run<{ pid: number }>({ name: 'pid', text: 'select pg_backend_pid() as pid' }))[0]?.pid

describe('a pipeline', () => {
  test('sends statements before earlier ones are answered, and answers in order', async () => {
    const database = pipeline(proxy.connection)
    await database.run({ text: 'select 1 where $1', values: [true] })
    const before = proxy.sent
    const answered: number[] = []
    const statements = [0.5, 0, 0].map(async (seconds, n) => {
      await database.run({ text: 'select pg_sleep($1)', values: [seconds] })
      answered.push(n)
    })
    await proxy.untilSent(before + 3)
    expect(proxy.sent - before).toBe(3)
    expect(answered).toEqual([])
    await Promise.all(statements)
    expect(answered).toEqual([0, 1, 2])
  })

  test('is one connection, and prepares a statement once for concurrent users', async () => {
    const database = pipeline()
    const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(database)))
    expect(new Set(pids).size).toBe(1)
    const [row] = await database.run<{ count: number }>({
      text: 'select count(*) as count from pg_prepared_statements',
    })
    expect(row?.count).toBe(1)
  })

  test('a failed statement does not affect the others', async () => {
    const database = pipeline()
    const outcomes = await Promise.allSettled(
      [1, 0, 2].map((divisor) => database.run({ text: 'select 2 / $1::integer as half', values: [divisor] })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[2]).toMatchObject({ value: [{ half: 1 }] })
  })

  test('gets another connection when its own breaks, and statements in flight are retried', async () => {
    const database = pipeline(proxy.connection)
    const pid = await pidOf(database)
    const before = proxy.sent
    const wait = (seconds: number) => database.query({ text: 'select pg_sleep($1)', values: [seconds] })
    const asked = Promise.all([0.3, 0].map(wait))
    await proxy.untilSent(before + 2)
    await fresh.database.run({ text: 'select pg_terminate_backend($1)', values: [pid] })
    expect(await asked).toHaveLength(2)
    expect(await pidOf(database)).not.toBe(pid)
  })

  test('leaves a read-only server while others still use the connection', async () => {
    const database = pipeline()
    const pid = await pidOf(database)
    const refused = database.run({ text: "do $$ begin raise sqlstate '25006'; end $$" })
    const underWay = database.run({ text: 'select pg_sleep(0.3)' })
    await expect(refused).rejects.toMatchObject({ code: '25006' })
    expect(await pidOf(database)).not.toBe(pid)
    await underWay
  })

  test('reports that no connection is available', async () => {
    const { connection, close } = await startProxy(fresh.connection)
    await close()
    const database = pipeline(connection)
    const outcomes = await Promise.allSettled([pidOf(database), pidOf(database)])
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailableError) })
    await expect(pidOf(database)).rejects.toThrow(DatabaseUnavailableError)
  })

  test('has no transactions, because others share the connection', async () => {
    await expect(pipeline().transaction(async () => undefined)).rejects.toThrow(
      'a pipelined connection has no transactions',
    )
  })
})

test('of many creates with one key on a pipeline, one creates the run and all others find it', async () => {
  const creator = new RunCreator(pipeline(), () => undefined)
  const keys = ['a', 'b', 'c']
  const runs = Array.from({ length: 120 }, (_, n) => newRun({ idempotencyKey: `${keys[n % 3]}` }))
  const outcomes = await Promise.all(runs.map((run) => creator.create(run)))
  const created = runs.filter((_, n) => outcomes[n]?.outcome === 'created')
  expect(created.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(keys)
  const found = outcomes.flatMap((outcome) => (outcome.outcome === 'exists' ? [outcome.run.id] : []))
  expect(found).toHaveLength(117)
  expect(new Set(found)).toEqual(new Set(created.map(({ id }) => id)))
})
