// A process creates the run of a tick and is killed before it has recorded the tick. Another one, which serves no HTTP,
// records it and executes the run.
import type { ScheduleResult } from '@runwright/contract'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { emptyRun } from '../support/http.ts'
import { type HostedFleet, startFleet, until } from '../support/processes.ts'

let hosted: HostedFleet
beforeAll(async () => {
  hosted = await startFleet()
})
afterAll(() => hosted.close())

/** Creates a schedule that is due, and returns its UUID. */
async function createDue(client: pg.PoolClient, post: (body: object) => Promise<{ json<T>(): T }>): Promise<string> {
  const created = (await post({ cron: '0 0 1 1 *', run: emptyRun })).json<ScheduleResult>()
  const id = fromWireId('sched', created.schedule.id) ?? ''
  await client.query(`update schedules set next_at = date_trunc('second', now()), due_at = now() where id = $1`, [id])
  return id
}

/** Else the server would execute the update of the dead process when the row is unlocked. */
const endWaitingStatements = (database: Database) =>
  database.run({
    text: `
select pg_terminate_backend(pid)
from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock'`,
  })

test('kill -9 between the create and the record of a tick leaves one run', async () => {
  const { fleet, database } = hosted
  const id = await database.withConnection(async (client) => {
    // The process gets the duty, and so sweeps, when the schedule is locked: it can read it, and cannot record the
    // tick.
    await client.query('select pg_advisory_lock(1383428727, 3)')
    const api = await fleet.start('api')
    const caller = fleet.caller(api)
    const stream = await caller.stream('/v1/events/stream')
    const schedule = await createDue(client, (body) => caller.post('/v1/schedules', body))
    await client.query('begin')
    await client.query('select from schedules where id = $1 for update', [schedule])
    await client.query('select pg_advisory_unlock(1383428727, 3)')
    await stream.until(({ text }) => text.includes('run.created'), 30_000)
    await api.kill()
    await endWaitingStatements(database)
    await client.query('rollback')
    return schedule
  })
  const read = async () => {
    const rows = await database.run<{ last_run_id: string | null; run_id: string; state: string }>({
      text: 'select s.last_run_id, r.id as run_id, r.state from schedules s, runs r where s.id = $1',
      values: [id],
    })
    return rows
  }
  expect(await read()).toMatchObject([{ last_run_id: null, state: 'queued' }])
  await fleet.start('worker')
  const isDone = async () => (await read()).every(({ last_run_id, state }) => last_run_id && state === 'succeeded')
  await until(isDone, { what: 'the tick is recorded, and its run is executed' })
  const [run, ...others] = await read()
  expect([run?.last_run_id, others]).toEqual([run?.run_id, []])
})
