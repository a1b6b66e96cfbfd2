// A worker dies between any two changes that a run goes through: the next one goes on where it stopped, and repeats
// nothing. A trigger in the test's database holds back the write after the chosen event, so that every point is hit
// exactly.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import {
  eventsOf,
  type HostedFleet,
  isOver,
  type LoggedEvent,
  type RunRow,
  rowOf,
  type ServiceProcess,
  startFleet,
  until,
  untilOver,
} from '../support/processes.ts'

/** A lease ends only when its worker was killed and the test says so: a slow machine loses none. */
const env = { RUNWRIGHT_LEASE_SECONDS: '600', RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05' }
const expireLeases = (database: Database) =>
  database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })

const sum = { name: 'calculator', input: { expression: '2+2' } }
const product = { name: 'calculator', input: { expression: '6*7' } }

/** Steps that follow each other at once would be written in one change, and leave no gap to be killed in. */
const slow = { delay_ms: 120 }

interface Course {
  readonly body: object
  readonly tokens: number
  readonly steps: number
  readonly calls: number
}

const planned: Course = {
  body: {
    routing_hint: 'require_planning',
    input: {
      sandbox: {
        steps: [
          { say: 'one', ...slow, tokens: 100, tools: [sum] },
          {
            say: 'two',
            ...slow,
            tokens: 50,
            // biome-ignore lint/suspicious/noThenProperty: the script's own word.
            then: 'await_input',
            await: { input_kind: 'approval', reason_code: 'review' },
          },
          { say: 'three', ...slow, tokens: 30, tools: [sum, product] },
          { say: 'four', ...slow, tokens: 20, output: { answer: 42 } },
        ],
      },
    },
  },
  tokens: 200,
  steps: 5,
  calls: 3,
}

const given: Course = {
  body: {
    input: {
      sandbox: {
        steps: [
          { say: 'a', ...slow, tokens: 10, tools: [product] },
          { say: 'b', ...slow, tokens: 5 },
        ],
      },
    },
    plan: {
      steps: [
        { id: 'total', tool: 'calculator', input: { expression: '1+1' } },
        { id: 'think', instruction: 'Think about {{steps.total.output.result}}' },
        { id: 'gate', await_input: { input_kind: 'approval', reason_code: 'go' } },
        { id: 'aside', tool: 'calculator', input: { expression: '3+3' }, depends_on: ['gate'] },
        { id: 'act', instruction: 'Act', approval: 'required', depends_on: ['aside'] },
      ],
    },
  },
  tokens: 15,
  steps: 4,
  calls: 3,
}

/** Approves whatever the run asks for, until what is waited for has come. */
async function approveUntil(place: Place, id: string, reached: (row: RunRow) => boolean | Promise<boolean>) {
  const { database, caller } = place
  const look = async () => {
    const row = await rowOf(database, id)
    if (await reached(row)) return row
    if (row.await_seq === null) return undefined
    const signal = { action: 'approve', await_seq: row.await_seq, idempotency_key: `wait-${row.await_seq}` }
    expect((await caller.post(`/v1/runs/${id}/signal`, signal)).status).toBe(200)
    return undefined
  }
  const row = await until(look, { within: 60_000, what: () => `run ${id}` })
  return row as RunRow
}

interface Place {
  readonly database: Database
  readonly caller: Caller
}

describe.concurrent.each([
  { name: 'a planned run with tools and a question', course: planned },
  { name: 'a given plan with tool steps, a gate and an approval', course: given },
])('$name', ({ course }) => {
  let hosted: HostedFleet
  let place: Place
  let killPoint: KillPoint
  let worker: ServiceProcess

  beforeAll(async () => {
    hosted = await startFleet({ env })
    const api = await hosted.fleet.start('api')
    worker = await hosted.fleet.start('worker')
    place = { database: hosted.database, caller: hosted.fleet.caller(api) }
    killPoint = new KillPoint(hosted.database, { table: 'event_rows', column: 'seq' })
    await killPoint.install()
  })
  afterAll(async () => {
    await killPoint.remove()
    await hosted.close()
  })

  /** Kills the worker when it is about to write what follows event `seq`; another one ends the run. */
  async function killAfter({ seq, type }: LoggedEvent) {
    const waits = type === 'run.awaiting_input'
    if (!waits) await killPoint.arm(String(seq + 1))
    const { id } = await place.caller.newRun(course.body)
    await approveUntil(place, id, async (row) => (waits ? row.await_seq === seq : killPoint.isReached()))
    const { worker_id } = await rowOf(hosted.database, id)
    await worker.kill()
    await killPoint.cutOff()
    // Before the lease expires: then the sweep writes that the run has stalled.
    expect((await eventsOf(hosted.database, id)).length).toBeLessThanOrEqual(seq)
    await expireLeases(hosted.database)
    // An answer has to survive a time without any worker.
    if (waits) await approveUntil(place, id, (row) => row.await_seq === null)
    worker = await hosted.fleet.start('worker')
    const row = await approveUntil(place, id, isOver)
    return { id, row, wasHeld: worker_id !== null }
  }

  test('ends right wherever its worker is killed, and repeats nothing', { timeout: 180_000 }, async () => {
    const { id } = await place.caller.newRun(course.body)
    await approveUntil(place, id, isOver)
    const reference = await eventsOf(hosted.database, id)
    expect(reference.at(-1)?.type).toBe('run.worker.succeeded')
    const count = (word: string) => reference.filter(({ type }) => type === word).length
    expect([count('step.done'), count('run.tool.invoked')]).toEqual([course.steps, course.calls])
    const { event_payload } = await place.caller.run(id)
    const points = reference.filter((event, index) => {
      const next = reference[index + 1]
      return next !== undefined && next.change !== event.change
    })
    const told = (events: readonly LoggedEvent[]) =>
      events.map(({ type, payload }) => [type, payload.kind, payload.outcome, payload.decision_type].join(' ').trim())
    for (const point of points) {
      const { id: killed, row, wasHeld } = await killAfter(point)
      const at = `killed after ${point.seq} ${point.type}`
      const events = await eventsOf(hosted.database, killed)
      const interruption = events.filter(({ type }) => /stalled|resumed/.test(type))
      expect(row, at).toMatchObject({ state: 'succeeded', tokens: course.tokens })
      const interrupted = interruption.map(({ type, payload }) => `${type} ${payload.reason_code ?? ''}`.trim())
      expect(interrupted, at).toEqual(wasHeld ? ['run.worker.stalled heartbeat_lost', 'run.resumed'] : [])
      expect(told(events.filter((event) => !interruption.includes(event))), at).toEqual(told(reference))
      expect(await place.caller.run(killed), at).toMatchObject({ event_payload })
    }
    expect(points.length).toBeGreaterThan(8)
    await expectInvariants(hosted.database)
  })
})

describe.concurrent('a run that keeps losing its workers in one step', () => {
  const delayMs = 100
  let hosted: HostedFleet
  beforeAll(async () => {
    const own = { RUNWRIGHT_RECOVERY_DELAY_SECONDS: String(delayMs / 1000), RUNWRIGHT_MAX_RECOVERIES: '2' }
    hosted = await startFleet({ env: { ...env, ...own } })
  })
  afterAll(() => hosted.close())

  test('is recovered later each time, then stays stalled until someone resumes it', { timeout: 120_000 }, async () => {
    const { fleet, database } = hosted
    const caller = fleet.caller(await fleet.start('api'))
    const { id } = await caller.newRun({
      routing_hint: 'skip_planning',
      input: { sandbox: { steps: [{ say: 'slow', delay_ms: 3_000 }] } },
    })
    const stalls: RunRow[] = []
    for (let kill = 0; kill < 3; kill += 1) {
      const worker = await fleet.start('worker')
      // The last time it is executed alone, which is noted before it begins.
      const isLast = kill === 2
      const isExecuted = ({ worker_id, alone }: RunRow) => worker_id !== null && alone === isLast
      await until(async () => isExecuted(await rowOf(database, id)), { what: 'a claim' })
      expect(await rowOf(database, id)).toMatchObject({ state: 'running', recoveries: kill })
      await worker.kill()
      await expireLeases(database)
      const stalled = async () => {
        const row = await rowOf(database, id)
        return row.state === 'stalled' ? row : undefined
      }
      stalls.push((await until(stalled, { what: 'a stall' })) as RunRow)
    }
    expect(stalls.map(({ recoveries, ready_in_ms }) => [recoveries, ready_in_ms])).toEqual([
      [0, delayMs],
      [1, 2 * delayMs],
      [2, null],
    ])
    expect((await caller.post(`/v1/runs/${id}/resume`)).json()).toMatchObject({ status: 'queued' })
    await fleet.start('worker')
    expect(await untilOver(database, id)).toMatchObject({ state: 'succeeded', recoveries: 0 })
    const moves = (await eventsOf(database, id)).filter(({ payload }) => payload.to_status !== undefined)
    expect(moves.map(({ type, payload }) => `${type} ${payload.to_status}`)).toEqual([
      'run.worker.started running',
      'run.worker.stalled stalled',
      'run.resumed running',
      'run.worker.stalled stalled',
      'run.resumed running',
      'run.worker.stalled stalled',
      'run.resumed queued',
      'run.worker.started running',
      'run.worker.succeeded succeeded',
    ])
    await expectInvariants(database)
  })
})
