// A run that is got is shown as it was at one moment, whatever happens to it while it is read.
import { randomBytes } from 'node:crypto'
import type { RunDetail, RunInclude } from '@runwright/contract'
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

async function get(database: Database, id: string, include: readonly RunInclude[]) {
  const keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  const one = { database, agents: { current: undefined }, keys }
  const { getRun } = runHandlers({ one, many: one }, {} as never)
  const call = { principal: { customerId: 'acme' }, requestId: 'req_1', id, query: { include } }
  const { body } = await getRun(call as never)
  return JSON.parse(String(body)) as RunDetail
}

/** Gets a run, and does something else before the n-th statement of that; `statements` is how many there were. */
async function getWhile(id: string, n: number, act: () => Promise<unknown>, include: readonly RunInclude[]) {
  let statements = 0
  const database = {
    query: async (statement: Statement) => {
      statements += 1
      if (statements === n + 1) await act()
      return fresh.database.query(statement)
    },
  } as unknown as Database
  return { run: await get(database, id, include), statements }
}

test.each([0, 1, 2])('a run that is cancelled before statement %i of a read waits or is cancelled', async (n) => {
  const id = await waitingRun()
  const { run, statements } = await getWhile(id, n, () => driver.apply(id, cancel), ['awaiting_input'])
  expect(statements).toBeGreaterThan(0)
  const asks = run.awaiting_input !== null
  expect([run.status, asks]).toEqual(n === 0 ? ['cancelled', false] : ['running', true])
})

async function failedRun(): Promise<string> {
  const run = newRun({})
  await new RunCreator(fresh.database, () => undefined).create(run)
  await driver.toFailed(toWireId('run', run.id))
  return toWireId('run', run.id)
}

const retry = {
  trigger: 'retry',
  readyInMs: 0,
  startsAttempt: true,
  events: [{ type: 'run.worker.retry_scheduled', payload: { from_status: 'failed', to_status: 'queued' } }],
} as const

test.each([
  [0, 'queued', false],
  [1, 'queued', false],
  [2, 'queued', false],
  [3, 'queued', false],
  [4, 'failed', true],
])('a run that is retried before statement %i of a read is %s', async (n, status, hasFailed) => {
  const id = await failedRun()
  const { run, statements } = await getWhile(id, n, () => driver.apply(id, retry), ['failure', 'signals'])
  expect([run.status, run.failure !== null]).toEqual([status, hasFailed])
  if (hasFailed) expect(statements).toBe(n)
})

test('a run that goes on with each read is shown nevertheless, after five of them', async () => {
  const id = await failedRun()
  let reads = 0
  const database = {
    query: async (statement: Statement) => {
      if (statement.name !== 'find-phase') return fresh.database.query(statement)
      reads += 1
      return [{ phase: `running ${reads}` }]
    },
  } as unknown as Database
  expect(await get(database, id, ['failure'])).toMatchObject({ status: 'failed', failure: {} })
  expect(reads).toBe(4)
})
