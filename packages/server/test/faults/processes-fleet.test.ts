// Two API processes and two workers on one database behave like one service.

import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, emptyRun } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { eventsOf, type HostedFleet, rowOf, startFleet, until, untilAllOver, untilOver } from '../support/processes.ts'

const sum = { name: 'calculator', input: { expression: '2+2' } }
const shortRun = {
  ...emptyRun,
  routing_hint: 'skip_planning',
  input: {
    sandbox: {
      steps: [
        { say: 'one', tokens: 10, tools: [sum] },
        { say: 'two', tokens: 5, delay_ms: 20 },
      ],
    },
  },
}
const spokenRun = {
  ...emptyRun,
  routing_hint: 'require_planning',
  input: {
    sandbox: {
      steps: [
        { say: 'word '.repeat(25), chunk_ms: 60, tools: [sum] },
        { say: 'end', tools: [sum] },
      ],
    },
  },
}

interface Arrival extends Event {
  /** How long after its timestamp it was read. */
  readonly lateMs: number
}

/** Reads a run's events over SSE until it has ended, and notes when each came. */
async function follow(caller: Caller, id: string): Promise<Arrival[]> {
  const arrivals: Arrival[] = []
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  const readNew = () => {
    const now = Date.now()
    for (const event of stream.events.slice(arrivals.length)) {
      arrivals.push({ ...event, lateMs: now - Date.parse(event.timestamp) })
    }
    return arrivals.at(-1)?.type === 'run.worker.succeeded'
  }
  await stream.until(readNew, 30_000)
  stream.close()
  return arrivals
}

describe('two APIs and two workers on one database', () => {
  let hosted: HostedFleet
  let callers: Caller[]
  beforeAll(async () => {
    hosted = await startFleet()
    const { fleet } = hosted
    const [apis] = await Promise.all([
      Promise.all([fleet.start('api'), fleet.start('api')]),
      Promise.all([fleet.start('worker'), fleet.start('worker')]),
    ])
    callers = apis.map((api) => fleet.caller(api))
  })
  afterAll(() => hosted.close())
  const callerOf = (n: number) => callers[n % 2] as Caller

  test('execute every run once, whichever API took it', { timeout: 120_000 }, async () => {
    const replies = await Promise.all(Array.from({ length: 300 }, (_, n) => callerOf(n).create(shortRun)))
    expect(replies.filter(({ status }) => status !== 201)).toEqual([])
    expect(await untilAllOver(hosted.database, 30_000)).toEqual({ succeeded: 300 })
    const [starts] = await hosted.database.query({
      text: "select count(*) as events, count(distinct run_id) as runs from events where type = 'run.worker.started'",
    })
    expect(starts).toEqual({ events: 300, runs: 300 })
    const [odd] = await hosted.database.query({
      text: `
select count(*) filter (where epoch <> 2) as claimed_twice, count(*) filter (where tokens <> 15) as odd_tokens,
  count(*) filter (where recoveries <> 0) as recovered
from runs`,
    })
    expect(odd).toEqual({ claimed_twice: 0, odd_tokens: 0, recovered: 0 })
    await expectInvariants(hosted.database)
  })

  test('show one another’s events in order, without a gap, within a second', { timeout: 120_000 }, async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => callerOf(n).newRun(spokenRun)))
    const followed = await Promise.all(runs.map(({ id }, n) => follow(callerOf(n + 1), id)))
    for (const [n, { id }] of runs.entries()) {
      const logged = await eventsOf(hosted.database, id)
      const arrived = followed[n] ?? []
      expect(arrived.map(({ seq, type }) => [seq, type])).toEqual(logged.map(({ seq, type }) => [seq, type]))
      expect(arrived.length).toBeGreaterThan(10)
    }
    const afterOpening = followed.flatMap((arrivals) => arrivals.filter(({ seq }) => seq > 3))
    expect(Math.max(...afterOpening.map(({ lateMs }) => lateMs))).toBeLessThan(1_000)
  })
})

describe('a worker with one place', () => {
  const heartbeatMs = 500
  let hosted: HostedFleet
  let caller: Caller
  beforeAll(async () => {
    const env = { RUNWRIGHT_HEARTBEAT_SECONDS: String(heartbeatMs / 1000), RUNWRIGHT_WORKER_CONCURRENCY: '1' }
    hosted = await startFleet({ env })
    const [api] = await Promise.all([hosted.fleet.start('api'), hosted.fleet.start('worker')])
    caller = hosted.fleet.caller(api)
  })
  afterAll(() => hosted.close())

  const firstOf = async (id: string, type: string) => {
    const event = (await eventsOf(hosted.database, id)).find((found) => found.type === type)
    return Number(event?.at)
  }

  test('stops a run that was cancelled elsewhere by its next heartbeat', { timeout: 120_000 }, async () => {
    const { database } = hosted
    const endless = { routing_hint: 'skip_planning', input: { sandbox: { steps: [{ delay_ms: 600_000 }] } } }
    const held = await caller.newRun(endless)
    await until(async () => (await rowOf(database, held.id)).worker_id !== null, { what: 'a claim' })
    const next = await caller.newRun(shortRun)
    expect((await caller.post(`/v1/runs/${held.id}/cancel`)).json()).toMatchObject({ status: 'cancelled' })

    await untilOver(database, next.id)
    const waited = (await firstOf(next.id, 'run.worker.started')) - (await firstOf(held.id, 'run.cancelled'))
    // The worker looks for work once a second at the latest; without the cancel its place would never be free.
    expect(waited).toBeLessThan(heartbeatMs + 1_000 + 500)
    expect((await eventsOf(database, held.id)).at(-1)?.type).toBe('run.cancelled')
    await expectInvariants(database)
  })

  test('fills it again as soon as it is free', { timeout: 120_000 }, async () => {
    const runs = await Promise.all(Array.from({ length: 5 }, () => caller.newRun(shortRun)))
    await untilAllOver(hosted.database, 20_000)
    const starts = await Promise.all(runs.map(({ id }) => firstOf(id, 'run.worker.started')))
    const ends = await Promise.all(runs.map(({ id }) => firstOf(id, 'run.worker.succeeded')))
    const pauses = starts
      .toSorted((a, b) => a - b)
      .slice(1)
      .map((start, n) => start - (ends.toSorted((a, b) => a - b)[n] ?? 0))
    expect(Math.max(...pauses)).toBeLessThan(500)
  })
})
