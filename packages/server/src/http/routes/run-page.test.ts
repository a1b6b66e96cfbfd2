// How a page of runs is read: one statement per include, however many runs it has.
import { randomBytes } from 'node:crypto'
import { type ListRunsQuery, type RunList, type RunListInclude, runListIncludes } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Driver } from '../../../test/support/drive.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { Database, Statement } from '../../store/postgres/database.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { maxStepEvents } from '../../store/runs/step-facts.ts'
import { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { readRunPage } from './run-page.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const creator = new RunCreator(fresh.database, () => undefined)
  const driver = new Driver(fresh.database)
  const make = async () => {
    const run = newRun({ title: 'A title' })
    await creator.create(run)
    return toWireId('run', run.id)
  }
  for (let n = 0; n < 5; n += 1) {
    await driver.toAwaiting(await make())
    await driver.toFailed(await make())
    await driver.toSucceeded(await make())
  }
})
afterAll(() => fresh.drop())

async function readPage(database: Database, query: ListRunsQuery): Promise<RunList> {
  const keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  const sources = { database, agents: { current: undefined }, keys }
  let text = ''
  for await (const piece of await readRunPage(sources, { customerId: 'acme', query, requestId: 'req_1' })) text += piece
  return JSON.parse(text)
}

async function statementsFor(include: readonly RunListInclude[]): Promise<number> {
  let count = 0
  const counting = {
    query: (statement: Statement) => {
      count += 1
      return fresh.database.query(statement)
    },
  } as unknown as Database
  const { runs } = await readPage(counting, { include: [...include] })
  expect(runs).toHaveLength(15)
  for (const name of include.filter((name) => name !== 'result')) {
    expect(runs.some((run) => name in run)).toBe(true)
  }
  return count
}

const simple = runListIncludes.filter((name) => name !== 'steps')

test.each(simple)('%s costs one statement for the whole page', async (name) => {
  expect(await statementsFor([name])).toBe(2)
})

test('all includes cost one statement each', async () => {
  expect(await statementsFor(simple)).toBe(1 + simple.length)
})

test('steps, which may be large, cost one statement for four runs, and one for those of them that failed', async () => {
  expect(await statementsFor(['steps'])).toBe(1 + 4 * 2)
})

test('a page with steps ends where the events of its runs are too many, and the next one goes on there', async () => {
  const setEvents = (events: number) =>
    fresh.database.query({ text: 'update runs set next_seq = $1', values: [events + 1] })
  await setEvents(maxStepEvents / 4)
  try {
    const first = await readPage(fresh.database, { include: ['steps'] })
    expect(first.runs).toHaveLength(4)
    const second = await readPage(fresh.database, { include: ['steps'], cursor: first.next_cursor ?? '' })
    expect(second.runs).toHaveLength(4)
    expect(second.runs.map(({ id }) => id)).not.toContain(first.runs.at(-1)?.id)
    expect((await readPage(fresh.database, { include: ['title'] })).runs).toHaveLength(15)
    await setEvents(2 * maxStepEvents)
    expect((await readPage(fresh.database, { include: ['steps'] })).runs).toHaveLength(1)
  } finally {
    await setEvents(10)
  }
})
