// All connections of a pool are in use, and the database is well: that is overload, not a database that is away.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { eventually } from '../support/engine.ts'
import { Caller, expectRefusal, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const metrics = new Metrics()
let service: Service
let acme: Caller
let run: string
beforeAll(async () => {
  service = await startService({}, { metrics })
  acme = new Caller(service.url, service.key)
  run = (await acme.newRun()).id
})
afterAll(() => service.stop())

/** The pool `main` has two connections, and both wait for the lock while `work` is done. */
async function whileHeld<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (client) => {
    await client.query('lock table runs in access exclusive mode')
    const held = [acme.get(`/v1/runs/${run}`), acme.get(`/v1/runs/${run}`)]
    await untilWaiting(database)
    const result = await work()
    await client.query('rollback; begin')
    await Promise.all(held)
    return result
  })
}

/** Asks on another connection: within a transaction the answer does not change. */
const untilWaiting = (database: Database): Promise<true> =>
  eventually(async () => {
    const text = `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'runwright' and wait_event_type = 'Lock'`
    return (await database.run<{ count: number }>({ text }))[0]?.count === 2 || undefined
  })

test('requests are told that no connection is free, the service stays ready, the log and a metric say it', async () => {
  const asks = () => [
    acme.get(`/v1/runs/${run}/events`),
    acme.post(`/v1/runs/${run}/signal`, { action: 'approve' }),
    acme.get('/health/ready'),
    acme.get('/health/deps'),
  ]
  const [events, signal, ready, deps] = await whileHeld(service.database, () => Promise.all(asks()))
  for (const reply of [events, signal] as Reply[]) {
    expectRefusal(reply, 503, 'OVERLOADED')
    expect(reply.text).toContain('no connection to the database was free in time')
  }
  expect(ready?.status, ready?.text).toBe(200)
  expect(deps?.json()).toMatchObject({ dependencies: { database: { status: 'ok' } } })
  const lines = service.log.all.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.find(({ reason }) => reason === 'pool_full')).toMatchObject({
    pool: 'main',
    msg: expect.stringContaining('no connection to the database was free in time'),
  })
  expect(await metrics.text()).toMatch(/runwright_database_trouble_total\{pool="main",kind="pool_full"\} [1-9]/)
  expect((await acme.get(`/v1/runs/${run}`)).status).toBe(200)
}, 60_000)
