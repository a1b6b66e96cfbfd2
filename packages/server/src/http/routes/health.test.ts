import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import type { Database, Row, Statement } from '../../store/postgres/database.ts'
import type { ServerSilence } from '../../store/postgres/server-silence.ts'
import type { Gate } from '../server/admission/admission.ts'
import { Drain } from '../server/connections/drain.ts'
import { mountHealth } from './health.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** What the probe answers if a snapshot is as old as that. */
const dependenciesAfter = (heldSeconds: number) =>
  dependenciesOf(async () => [{ version: '18.4', held_seconds: heldSeconds }], fresh.database.listen())

/** What the probe answers if the database answers so when it is asked for its version. */
async function dependenciesOf(answer: () => Promise<Row[]>, silence: Pick<ServerSilence, 'isCertain'>) {
  const run = async (statement: Statement) =>
    statement.text.includes('backend_xmin') ? answer() : fresh.database.run(statement)
  const transaction: Database['transaction'] = (work) => fresh.database.transaction(work)
  const database = { run, query: run, transaction, listen: () => silence } as unknown as Database
  const app = fastify()
  const gate = { isLeaving: false } as Gate
  mountHealth(app, { database, gate, drain: new Drain({ server: app.server, announceMs: 0 }) })
  const reply = await app.inject('/health/deps')
  return { code: reply.statusCode, ...reply.json() }
}

test('a snapshot that has been held for more than five minutes is a warning', async () => {
  expect(await dependenciesAfter(5_400.4)).toMatchObject({ code: 200, status: 'ok', held_snapshot_seconds: 5_400 })
})

test('a younger one is not mentioned', async () => {
  expect(await dependenciesAfter(299)).not.toHaveProperty('held_snapshot_seconds')
})

const never = () => new Promise<never>(() => undefined)

test('a database that does not answer is down', async () => {
  expect(await dependenciesOf(never, { isCertain: true })).toMatchObject({
    code: 503,
    status: 'down',
    reason_code: 'DATABASE_UNAVAILABLE',
    dependencies: { database: { status: 'down', latency_ms: null }, queue: { status: 'ok' } },
  })
})

test('a database is not down because this process has no time or no connection for it', async () => {
  expect(await dependenciesOf(never, { isCertain: false })).toMatchObject({
    code: 200,
    status: 'ok',
    dependencies: { database: { status: 'ok', latency_ms: null, version: null }, queue: { status: 'ok' } },
  })
})
