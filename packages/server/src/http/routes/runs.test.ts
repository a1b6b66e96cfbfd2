// A run that is got is shown as it was at one moment, whatever happens to it while it is read.
import { randomBytes } from 'node:crypto'
import type { RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Driver } from '../../../test/support/drive.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { Database, Statement } from '../../store/postgres/database.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { runHandlers } from './runs.ts'

let fresh: FreshDatabase
let driver: Driver
beforeAll(async () => {
  fresh = await freshDatabase()
  driver = new Driver(fresh.database)
})
afterAll(() => fresh.drop())

const cancel = {
  trigger: 'cancel',
  events: [{ type: 'run.cancelled', payload: { to_status: 'cancelled' }, terminal: true }],
} as const

async function waitingRun(): Promise<string> {
  const run = newRun({})
  await new RunCreator(fresh.database, () => undefined).create(run)
  await driver.toAwaiting(toWireId('run', run.id))
  return toWireId('run', run.id)
}

/** Gets a run, and does something else before the n-th statement of that; `statements` is how many there were. */
async function getWhile(id: string, n: number, act: () => Promise<unknown>) {
  let statements = 0
  const database = {
    query: async (statement: Statement) => {
      if (statements === n) await act()
      statements += 1
      return fresh.database.query(statement)
    },
  } as unknown as Database
  const keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  const one = { database, agents: { current: undefined }, keys }
  const { getRun } = runHandlers({ one, many: one }, {} as never)
  const call = { principal: { customerId: 'acme' }, requestId: 'req_1', id, query: { include: ['awaiting_input'] } }
  const { body } = await getRun(call as never)
  return { run: JSON.parse(String(body)) as RunDetail, statements }
}

test.each([0, 1, 2])('a run that is cancelled before statement %i of a read waits or is cancelled', async (n) => {
  const id = await waitingRun()
  const { run, statements } = await getWhile(id, n, () => driver.apply(id, cancel))
  expect(statements).toBeGreaterThan(0)
  const asks = run.awaiting_input !== null
  expect([run.status, asks]).toEqual(n === 0 ? ['cancelled', false] : ['running', true])
})
