// Workers that stand still: one whose lease ran out meanwhile can change nothing any more, and one that is only slow
// keeps its run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { expectInvariants } from '../support/invariants.ts'
import { eventsOf, type HostedFleet, rowOf, startFleet, until, untilAllOver, untilOver } from '../support/processes.ts'

const quick = {
  RUNWRIGHT_LEASE_SECONDS: '2',
  RUNWRIGHT_HEARTBEAT_SECONDS: '0.1',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
}

/** For a worker that is to lose no run, however busy the machine is. */
const slowLease = { RUNWRIGHT_LEASE_SECONDS: '60' }

const withoutPlan = (...steps: object[]) => ({ routing_hint: 'skip_planning', input: { sandbox: { steps } } })
const last = { say: 'The end.', tokens: 10 }
const words = 'word '.repeat(40)

/** Each is in the middle of its first step for a while; `isUnderWay` says when. */
const courses = [
  { body: withoutPlan({ say: 'thought', delay_ms: 1_500, tokens: 40 }, last), isUnderWay: 'run.worker.started' },
  { body: withoutPlan({ tools: [{ name: 'wait', input: { seconds: 1.5 } }] }, last), isUnderWay: 'tool_call_start' },
  { body: withoutPlan({ say: words, chunk_ms: 40, tokens: 90 }, last), isUnderWay: 'content_delta' },
]

const hasEvent = async (database: Database, id: string, word: string) =>
  (await eventsOf(database, id)).some(({ type, payload }) => type === word || payload.kind === word)

/** All that a worker could have changed: events, and runs without their counters of tokens. */
async function recorded(database: Database) {
  const read = (text: string) => database.query({ text })
  return {
    events: await read('select * from events order by run_id, seq'),
    runs: await read("select to_jsonb(r) - 'tokens' as run from runs r order by id"),
    journal: await read('select run_id, key, body::text as body from journal order by run_id, key'),
    results: await read('select run_id, redacted, value::text as value from run_results order by run_id'),
    usage: await read("select * from usage_records where event_type <> 'tokens.consumed' order by run_id, key"),
  }
}

/** All but what belongs to one run. */
const without = (run: string, rows: Awaited<ReturnType<typeof recorded>>) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, all]) => [name, all.filter((row) => !JSON.stringify(row).includes(run))]),
  )

test('a worker that hangs in a step longer than the step may take: the sweep ends it, though the lease is good', {
  timeout: 120_000,
}, async () => {
  const hosted = await startFleet({
    env: { ...quick, RUNWRIGHT_LEASE_SECONDS: '60', RUNWRIGHT_STEP_TIMEOUT_SECONDS: '2' },
  })
  try {
    const { fleet, database } = hosted
    const caller = fleet.caller(await fleet.start('api'))
    const sleeper = await fleet.start('worker')
    const { id } = await caller.newRun(withoutPlan({ delay_ms: 60_000 }))
    const stepIsKnown = async () =>
      (await database.query({ text: 'select 1 from runs where step_until is not null' })).length > 0
    await until(stepIsKnown, { what: 'a renewal that says when the step must end' })
    sleeper.signal('SIGSTOP')
    await until(() => hasEvent(database, id, 'run.worker.stalled'), { what: 'the run to be marked stalled' })
    expect((await eventsOf(database, id)).at(-1)?.payload).toMatchObject({
      from_status: 'running',
      to_status: 'stalled',
      reason_code: 'step_timeout',
    })
    sleeper.signal('SIGCONT')
  } finally {
    await hosted.close()
  }
})

describe.concurrent('a worker that was stopped while its leases ran out', () => {
  const open: HostedFleet[] = []
  afterAll(() => Promise.all(open.map((hosted) => hosted.close())))

  /** A worker that stands still in the middle of three runs. */
  async function stoppedWorker() {
    const hosted = await startFleet({ env: quick })
    open.push(hosted)
    const { fleet, database } = hosted
    const caller = fleet.caller(await fleet.start('api'))
    const sleeper = await fleet.start('worker')
    const runs = await Promise.all(courses.map(async ({ body }) => (await caller.newRun(body)).id))
    const isUnderWay = (id: string, n: number) => hasEvent(database, id, courses[n]?.isUnderWay ?? '')
    const areUnderWay = async () => (await Promise.all(runs.map(isUnderWay))).every(Boolean)
    await until(areUnderWay, { what: 'all runs in the middle of a step' })
    sleeper.signal('SIGSTOP')
    return { fleet, database, caller, sleeper, runs }
  }

  async function expectOneRecovery(database: Database, id: string): Promise<void> {
    const events = await eventsOf(database, id)
    const moves = events.flatMap(({ type, payload }) => (payload.to_status === undefined ? [] : [type]))
    expect(moves).toEqual(['run.worker.started', 'run.worker.stalled', 'run.resumed', 'run.worker.succeeded'])
    const steps = events.filter(({ type }) => type === 'step.done')
    expect(steps.map(({ payload }) => payload.outcome)).toEqual(['succeeded', 'succeeded'])
    // What the other worker said, and nothing of the one that woke.
    const resumed = events.findIndex(({ type }) => type === 'run.resumed')
    const said = events.slice(resumed).map(({ payload }) => payload.content_delta ?? '')
    expect(said.join('')).toBe(steps.map(({ payload }) => payload.content).join(''))
  }

  test('changes nothing when it wakes after others have ended its runs', { timeout: 120_000 }, async () => {
    const { fleet, database, caller, sleeper, runs } = await stoppedWorker()
    const other = await fleet.start('worker', slowLease)
    expect(await untilAllOver(database, 30_000)).toEqual({ succeeded: runs.length })
    await other.stop()
    const before = await recorded(database)

    sleeper.signal('SIGCONT')
    // That it executes this one shows that it is awake.
    const probe = await caller.newRun(withoutPlan(last))
    await untilOver(database, probe.id)
    expect(without(fromWireId('run', probe.id) ?? '', await recorded(database))).toEqual(before)
    for (const id of runs) await expectOneRecovery(database, id)
    await expectInvariants(database)
  })

  test('changes nothing when it wakes while others execute its runs', { timeout: 120_000 }, async () => {
    const { fleet, database, sleeper, runs } = await stoppedWorker()
    const other = await fleet.start('worker', slowLease)
    const areTaken = async () =>
      (await Promise.all(runs.map((id) => hasEvent(database, id, 'run.resumed')))).every(Boolean)
    await until(areTaken, { what: 'all runs taken by the other' })
    sleeper.signal('SIGCONT')

    expect(await untilAllOver(database, 30_000)).toEqual({ succeeded: runs.length })
    for (const id of runs) await expectOneRecovery(database, id)
    // Both say all that they still owe.
    await Promise.all([sleeper.stop(), other.stop()])
    await expectInvariants(database)
  })
})

describe.concurrent('a call that takes three leases', () => {
  let hosted: HostedFleet
  beforeAll(async () => {
    hosted = await startFleet({ env: { ...quick, RUNWRIGHT_LEASE_SECONDS: '3' } })
  })
  afterAll(() => hosted.close())

  test.each([
    { what: 'a tool', step: { tools: [{ name: 'wait', input: { seconds: 10 } }] } },
    { what: 'a model', step: { delay_ms: 10_000 } },
  ])('is made once, without a stall: $what', { timeout: 120_000 }, async ({ step }) => {
    const { fleet, database } = hosted
    const service = await fleet.start('start')
    const { id } = await fleet.caller(service).newRun(withoutPlan(step))
    await untilOver(database, id)
    expect(await rowOf(database, id)).toMatchObject({ state: 'succeeded', recoveries: 0 })
    const types = (await eventsOf(database, id)).map(({ type }) => type)
    expect(types).not.toContain('run.worker.stalled')
    expect(types.filter((type) => type === 'run.tool.invoked')).toHaveLength(step.tools ? 1 : 0)
    await expectInvariants(database)
  })
})
