import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { Database } from '../postgres/database.ts'
import { logApplication } from '../run-log/log-application.ts'
import type { NewEvent } from '../run-log/run-change.ts'
import { RunCreator } from '../run-log/run-creator.ts'
import { RunLog } from '../run-log/run-log.ts'
import {
  type CustomerEvent,
  type CustomerPosition,
  findCustomerEvents,
  findHorizon,
  positionAt,
} from './customer-events.ts'

let fresh: FreshDatabase
let writers: Database
let log: RunLog
beforeAll(async () => {
  fresh = await freshDatabase()
  writers = new Database({ connection: fresh.connection, maxConnections: 3, applicationName: logApplication })
  log = new RunLog(writers, () => undefined)
})
beforeEach(() => fresh.database.run({ text: 'truncate runs, run_inputs, event_rows' }))
afterAll(async () => {
  await writers.close()
  await fresh.drop()
})

async function create(customerId = 'acme'): Promise<string> {
  const run = newRun({ customerId })
  await new RunCreator(writers, () => undefined).create(run)
  await fresh.database.run({ text: "update runs set state = 'running', ready_at = null" })
  return run.id
}

const said: NewEvent = { type: 'step.done', payload: { task_id: 't', content: 'x', request_id: 'r' } }
const append = (runId: string, events: readonly NewEvent[] = [said]) =>
  log.apply({ runId, customerId: 'acme', epoch: null, trigger: 'progress', events })

const beginning: CustomerPosition = positionAt({ atMs: 0 })

interface Read {
  readonly after?: CustomerPosition
  readonly limit?: number
  readonly maxBytes?: number
  readonly customerId?: string
}

async function read({ after = beginning, limit = 200, customerId = 'acme', ...page }: Read = {}) {
  // The horizon excludes the current millisecond.
  await fresh.database.run({ text: 'select pg_sleep(0.002)' })
  const before = await findHorizon(fresh.database)
  return findCustomerEvents(fresh.database, customerId, { after, before, limit, ...page })
}

const positionOf = ({ at, runId, seq }: CustomerEvent): CustomerPosition => ({ atMs: at.getTime(), runId, seq })
const named = (events: readonly CustomerEvent[], ...runs: string[]) =>
  events.map(({ runId, seq }) => `${runs.indexOf(runId) + 1}.${seq}`)

describe('the events of a customer', () => {
  test('are those of all its runs, in the order of their times', async () => {
    const one = await create()
    const two = await create()
    await create('globex')
    await append(two)
    await append(one, [said, said])
    const events = await read()
    expect(named(events, one, two)).toEqual(['1.1', '2.1', '2.2', '1.2', '1.3'])
    expect(events.map(({ type, redacted }) => [type, redacted]).slice(1, 3)).toEqual([
      ['run.created', true],
      ['step.done', false],
    ])
    expect(JSON.parse(events[2]?.payload ?? '')).toMatchObject({ content: 'x' })
    expect(await read({ customerId: 'nobody' })).toEqual([])
  })

  test('are read page by page from any position, each once', async () => {
    const runs = await Promise.all([create(), create(), create()])
    await Promise.all(
      runs.map((run) =>
        append(
          run,
          Array.from({ length: 5 }, () => said),
        ),
      ),
    )
    const whole = await read()
    expect(whole).toHaveLength(18)
    for (const limit of [1, 4]) {
      let after = beginning
      let found: CustomerEvent[] = []
      for (let page = await read({ after, limit }); page.length > 0; page = await read({ after, limit })) {
        expect(page.length).toBeLessThanOrEqual(limit)
        found = [...found, ...page]
        after = positionOf(page.at(-1) as CustomerEvent)
      }
      expect(found).toEqual(whole)
    }
  })

  test('of one page have a limit in bytes, and at least one event', async () => {
    const run = await create()
    await append(run, [said, { ...said, payload: { ...said.payload, content: 'y'.repeat(5_000) } }, said])
    expect(await read({ maxBytes: 1 })).toHaveLength(1)
    expect(await read({ maxBytes: 3_000 })).toHaveLength(2)
  })

  test('that were folded are all there, also from a position between them', async () => {
    const run = await create()
    await append(run, [said, said, said])
    await fresh.database.run({
      text: "delete from event_rows where seq < 4; update event_rows set folded = 2, type = 'step.progress'",
    })
    const events = await read()
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    const after = positionOf(events[1] as CustomerEvent)
    expect((await read({ after })).map(({ seq }) => seq)).toEqual([3, 4])
  })
})

describe('the horizon', () => {
  test('is the time of the clock when nothing is being written', async () => {
    const { lagMs } = await findHorizon(fresh.database)
    expect(lagMs).toBe(0)
  })

  test('does not pass an event that is not committed, so that a reader cannot skip it', async () => {
    const slow = await create()
    const quick = await create()
    const known = await read()
    const after = positionOf(known.at(-1) as CustomerEvent)
    await writers.transaction(async (client) => {
      await client.query(
        `
insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
values ('acme', $1, 2, 1, 'step.done', false, false, date_trunc('milliseconds', clock_timestamp()), '{}')`,
        [slow],
      )
      await append(quick)
      expect(await read({ after })).toEqual([])
      expect((await findHorizon(fresh.database)).lagMs).toBeGreaterThan(0)
    })
    expect(named(await read({ after }), slow, quick)).toEqual(['1.2', '2.2'])
  })

  test('does not wait for connections that write no events', async () => {
    await fresh.database.transaction(async () => {
      const other = fresh.open(1)
      expect((await findHorizon(other)).lagMs).toBe(0)
    })
  })

  test('is ten seconds back if the server does not say what connections do', async () => {
    await writers.run({ text: 'set track_activities = off' })
    expect((await findHorizon(fresh.database)).lagMs).toBeGreaterThanOrEqual(10_000)
  })
})
