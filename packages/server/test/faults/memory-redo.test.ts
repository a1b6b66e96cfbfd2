// A worker dies after a note was saved and before anyone wrote down that it was: the call is made again, and saves
// nothing more.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectInvariants } from '../support/invariants.ts'
import { eventsOf, type HostedFleet, startFleet, until, untilOver } from '../support/processes.ts'

const quick = {
  RUNWRIGHT_LEASE_SECONDS: '0.9',
  RUNWRIGHT_HEARTBEAT_SECONDS: '0.15',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
}

/** Whatever would journal a call's result waits for this lock. */
const lock = 4712
const holdResults = `
create function hold_results() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${lock});
  return new;
end $$;
create trigger hold before insert on journal for each row when (new.key like 'result:%') execute function hold_results()`
const waiting = `
select pid from pg_locks
where locktype = 'advisory' and objid = ${lock} and not granted
  and database = (select oid from pg_database where datname = current_database())`

let hosted: HostedFleet
beforeAll(async () => {
  hosted = await startFleet({ env: quick })
})
afterAll(() => hosted.close())

const savedNotes = () =>
  hosted.database.query<{ id: string; status: string }>({
    text: 'select id, status from memory_items where not harness',
  })

/** Kills the worker when the note is there and its result is about to be journaled. */
async function killBeforeResult(create: () => Promise<unknown>): Promise<void> {
  const { fleet, database } = hosted
  const worker = await fleet.start('worker')
  await database.withConnection(async (holder) => {
    await holder.query('select pg_advisory_lock($1)', [lock])
    await create()
    const stuck = await until(() => database.query<{ pid: number }>({ text: waiting }).then((rows) => rows[0]), {
      what: 'a result that is held back',
    })
    expect(await savedNotes()).toHaveLength(1)
    await worker.kill()
    await database.query({ text: 'select pg_terminate_backend($1, 5000)', values: [stuck?.pid] })
    await database.query({ text: 'drop trigger hold on journal' })
    await holder.query('select pg_advisory_unlock($1)', [lock])
  })
}

test('a note is saved once, though the call is made twice', { timeout: 120_000 }, async () => {
  const { fleet, database } = hosted
  const caller = fleet.caller(await fleet.start('api'))
  await database.query({ text: holdResults })
  let id = ''
  await killBeforeResult(async () => {
    const step = { id: 'save', tool: 'memory_save', input: { title: 'Limit', content: 'It is 1,000.' } }
    id = (await caller.newRun({ plan: { steps: [step] } })).id
  })
  await fleet.start('worker')
  expect(await untilOver(database, id)).toMatchObject({ state: 'succeeded' })
  const types = (await eventsOf(database, id)).map(({ type }) => type)
  expect(types).toContain('run.resumed')
  expect(types.filter((type) => type === 'run.tool.invoked')).toHaveLength(1)
  expect(await savedNotes()).toEqual([{ id: expect.any(String), status: 'active' }])
  await expectInvariants(database)
})
