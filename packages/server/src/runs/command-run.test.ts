// conformance/commands.test.ts and repeated-requests.test.ts test commands over HTTP. Here a request is paused.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { Driver } from '../../test/support/drive.ts'
import { newRun } from '../../test/support/new-run.ts'
import { operator } from '../domain/actor.ts'
import { toWireId } from '../runtime/ids.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { RunLog } from '../store/run-log/run-log.ts'
import { commandRun } from './command-run.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** A log that does something else before the first change, as if the process were paused. */
class PausedLog extends RunLog {
  whilePaused: () => Promise<unknown> = async () => undefined

  override async apply(...change: Parameters<RunLog['apply']>): ReturnType<RunLog['apply']> {
    const { whilePaused } = this
    this.whilePaused = async () => undefined
    await whilePaused()
    return super.apply(...change)
  }
}

test('a command that was repeated while it was paused has no second effect', async () => {
  const { database } = fresh
  const run = newRun({ customerId: 'acme' })
  await new RunCreator(database, () => undefined).create(run)
  const driver = new Driver(database)
  await driver.toFailed(toWireId('run', run.id))
  const runLog = new PausedLog(database, () => undefined)
  const retry = (requestId: string) =>
    commandRun({ database, runLog }, 'retry', {
      ...{ customerId: 'acme', runId: run.id, requestId, by: operator },
      idempotencyKey: 'retry-1',
    })
  let first: unknown
  runLog.whilePaused = async () => {
    first = await retry('req_second')
    await driver.toFailed(toWireId('run', run.id))
  }
  expect(await retry('req_first')).toEqual(first)
  const [row] = await database.run({
    text: `
select state, (select count(*) from events where type = 'run.worker.retry_scheduled') as retries
from runs`,
  })
  expect(row).toEqual({ state: 'failed', retries: 1 })
})

test('a command is carried out although a worker took the run meanwhile', async () => {
  const { database } = fresh
  const run = newRun({ customerId: 'acme' })
  await new RunCreator(database, () => undefined).create(run)
  const runLog = new PausedLog(database, () => undefined)
  runLog.whilePaused = () => new Driver(database).toRunning(toWireId('run', run.id))
  const target = { customerId: 'acme', runId: run.id, requestId: 'req_1', by: operator, idempotencyKey: 'cancel-1' }
  expect(await commandRun({ database, runLog }, 'cancel', target)).toMatchObject({ state: 'cancelled' })
})
