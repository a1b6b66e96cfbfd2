import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import type { Database, Statement } from '../../store/postgres/database.ts'
import { Departure } from '../server/departure.ts'
import type { Gate } from '../server/gate.ts'
import { mountHealth } from './health.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** What the probe answers if a snapshot is as old as that. */
async function dependenciesAfter(heldSeconds: number) {
  const run = async (statement: Statement) =>
    statement.text.includes('backend_xmin')
      ? [{ version: '18.4', held_seconds: heldSeconds }]
      : fresh.database.run(statement)
  const transaction: Database['transaction'] = (work) => fresh.database.transaction(work)
  const database = { run, query: run, transaction } as unknown as Database
  const app = fastify()
  const gate = { isLeaving: false } as Gate
  mountHealth(app, { database, gate, departure: new Departure({ server: app.server, announceMs: 0 }) })
  const answer = await app.inject('/health/deps')
  return { code: answer.statusCode, ...answer.json() }
}

test('a snapshot that has been held for more than five minutes is a warning', async () => {
  expect(await dependenciesAfter(5_400.4)).toMatchObject({ code: 200, status: 'ok', held_snapshot_seconds: 5_400 })
})

test('a younger one is not mentioned', async () => {
  expect(await dependenciesAfter(299)).not.toHaveProperty('held_snapshot_seconds')
})
