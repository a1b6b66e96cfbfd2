// A hundred rounds of each race, on a real PostgreSQL: every time one side wins, and every invariant holds afterwards.
import type { Event, SignalAction } from '@runwright/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sweepLeases } from '../../src/maintenance/sweep-leases.ts'
import { sleep } from '../../src/runtime/backoff.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { RunLog } from '../../src/store/run-log/run-log.ts'
import {
  type Bench,
  eventually,
  isTerminal,
  ofType,
  outline,
  planned,
  scripted,
  startBench,
  thenStep,
} from '../support/engine.ts'

vi.setConfig({ testTimeout: 60_000 })

let bench: Bench
let hasty: Bench
let nervous: Bench
beforeAll(async () => {
  bench = await startBench()
  hasty = await startBench({ RUNWRIGHT_SIGNAL_TIMEOUT_SECONDS: '0.5' })
  nervous = await startBench({
    RUNWRIGHT_LEASE_SECONDS: '0.6',
    RUNWRIGHT_HEARTBEAT_SECONDS: '0.1',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0',
    RUNWRIGHT_MAX_RECOVERIES: '100',
  })
})
afterAll(async () => {
  for (const each of [bench, hasty, nervous]) await each.stop()
})

const rounds = 100

/** Plays the rounds, a few at a time, and counts how they went. */
async function tally(atOnce: number, play: (round: number) => Promise<string>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let next = 0
  const lane = async () => {
    for (let round = next++; round < rounds; round = next++) {
      const result = await play(round)
      counts[result] = (counts[result] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return counts
}

const both = (counts: Record<string, number>, one: string, other: string) => {
  expect(Object.keys(counts).toSorted()).toEqual([one, other].toSorted())
  expect((counts[one] ?? 0) + (counts[other] ?? 0)).toBe(rounds)
}

/**
 * So many requests later: shifts the rounds against each other without a clock. Which side is faster depends on the
 * machine, so the first and the last round are no race: each side wins one of them.
 */
async function letPass(of: Bench, id: string, requests: number): Promise<void> {
  for (let n = 0; n < requests; n += 1) await of.acme.run(id)
}
const isFirst = (round: number) => round === 0
const isLast = (round: number) => round === rounds - 1

const hasStalled = (events: Event[]) => events.some(({ type }) => type === 'run.worker.stalled')
/** A run that ends without a stall fails the count, instead of being swept for ever. */
const hasStalledOrEnded = (events: Event[]) => hasStalled(events) || events.some(isTerminal)
const ends = (events: Event[]) => outline(events).at(-1)
const shortSteps = Array.from({ length: 6 }, (_, n) => ({ say: `${n}`, tokens: 3 }))

test('cancel against completion: one wins, and the answer says which', async () => {
  const counts = await tally(4, async (round) => {
    const id = await bench.create(scripted(isFirst(round) ? [{ delay_ms: 600_000 }] : shortSteps))
    if (isLast(round)) await bench.ended(id)
    else await letPass(bench, id, round % 10)
    const { status } = await bench.command(id, 'cancel')
    return `${status} ${ends(await bench.ended(id))}`
  })
  both(counts, '200 cancelled', '409 succeeded')
})

test('approve against reject: one wins, the other is refused', async () => {
  const counts = await tally(4, async (round) => {
    const id = await bench.create(scripted([thenStep('await_input'), { say: 'b' }]))
    await bench.waits(id)
    const actions = round % 2 ? (['reject', 'approve'] as const) : (['approve', 'reject'] as const)
    const send = (action: SignalAction) => bench.signal(id, action)
    const inTurn = async () => [await send(actions[0]), await send(actions[1])]
    const replies = await (isFirst(round) || isLast(round) ? inTurn() : Promise.all(actions.map(send)))
    const events = await bench.ended(id)
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const won = actions[replies.findIndex(({ status }) => status === 200)]
    expect(ofType(events, 'run.signal_applied').map(({ action }) => action)).toEqual([won])
    return `${won}: ${ends(events)}`
  })
  both(counts, 'approve: succeeded', 'reject: failed signal_rejected')
})

test('a signal against its timeout: one wins, and the answer says which', async () => {
  const counts = await tally(25, async (round) => {
    const where = isFirst(round) ? bench : hasty
    const id = await where.create(planned([{ await_input: {} }]))
    await where.waits(id)
    if (isLast(round)) await where.ended(id)
    else if (round % 4 > 0) await nearlyExpired(id, (round % 25) * 20 - 20)
    const { status } = await where.signal(id, 'approve')
    const events = await where.ended(id)
    expect(ofType(events, 'run.signal_applied')).toHaveLength(status === 200 ? 1 : 0)
    return `${status} ${ends(events)}`
  })
  both(counts, '200 succeeded', '409 cancelled signal_timeout')
})

/** Around the time when the wait ends by itself, unless it already has. */
async function nearlyExpired(id: string, laterMs: number): Promise<void> {
  const wait = await hasty.include<{ expires_at: string } | null>(id, 'awaiting_input')
  if (wait) await sleep(Date.parse(wait.expires_at) + laterMs - Date.now())
}

test('retry against retry: one is taken, the run is tried again once', async () => {
  const counts = await tally(4, async () => {
    const { id } = await bench.play(scripted([{ fail: { times: 1 } }, { say: 'b' }]))
    const replies = await Promise.all([1, 2, 3].map(() => bench.command(id, 'retry')))
    const events = await bench.ended(id, 2)
    expect(ofType(events, 'run.worker.retry_scheduled')).toHaveLength(1)
    return `${replies.map(({ status }) => status).toSorted()} ${ends(events)}`
  })
  expect(counts).toEqual({ '200,409,409 succeeded': rounds })
})

test('sweep against completion: a run that was taken for dead is finished once all the same', async () => {
  const { database } = nervous.service
  const runLog = new RunLog(database, () => undefined)
  const rule = { delaySeconds: 0, maxRecoveries: 100 }
  const expire = (id: string) =>
    database.query({
      text: `update runs set lease_until = clock_timestamp() - interval '1 second' where id = $1 and worker_id is not null`,
      values: [fromWireId('run', id)],
    })
  const counts = await tally(20, async (round) => {
    const tools = [{ name: 'calculator', input: { expression: '2+2' } }]
    // Long enough for a sweep between two renewals, also on a busy machine.
    const delay = isFirst(round) ? { delay_ms: 3_000 } : {}
    const id = await nervous.create(scripted([{ say: 'a', tools, ...delay }, ...shortSteps]))
    const sweep = async () => {
      await expire(id)
      await sweepLeases({ database, runLog, rule, leaseMs: 30_000 })
    }
    if (isLast(round)) await nervous.ended(id)
    else await letPass(nervous, id, round % 8)
    await sweep()
    if (isFirst(round)) while (!hasStalledOrEnded(await nervous.events(id))) await sweep()
    const events = await nervous.ended(id)
    expect(ofType(events, 'step.done').map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 7 }, () => 'succeeded'),
    )
    expect(ofType(events, 'run.tool.invoked')).toHaveLength(1)
    return `${hasStalled(events) ? 'stalled, then' : 'just'} ${ends(events)}`
  })
  both(counts, 'just succeeded', 'stalled, then succeeded')
})

test('resume against auto-recovery: one sets it going', async () => {
  const counts = await tally(25, async (round) => {
    const id = await nervous.create(planned([{ tool: 'wait', input: { seconds: 0.3 }, timeout_seconds: 0.05 }]))
    await nervous.seen(id, 'run.worker.stalled')
    await letPass(nervous, id, round % 5)
    const { status } = await nervous.command(id, 'resume')
    const events = await nervous.until(id, (all) => all.some(({ type }) => type === 'run.resumed'))
    await nervous.command(id, 'cancel')
    const [first] = ofType(events, 'run.resumed')
    expect([status === 200 ? 'queued' : 'running', 'running']).toContain(first?.to_status)
    return String(status)
  })
  expect((counts['200'] ?? 0) + (counts['409'] ?? 0)).toBe(rounds)
})

test('a lease that is renewed after the sweep has looked keeps its run', async () => {
  const { database } = bench.service
  const id = await bench.create(scripted([{ delay_ms: 600 }]))
  await bench.seen(id, 'run.worker.started')
  const setLease = (seconds: number) =>
    database.query({
      text: `update runs set lease_until = clock_timestamp() + $2 * interval '1 second' where id = $1`,
      values: [fromWireId('run', id), seconds],
    })
  const log = new RunLog(database, () => undefined)
  const apply: RunLog['apply'] = async (change) => {
    await setLease(30)
    return log.apply(change)
  }
  await setLease(-1)
  const rule = { delaySeconds: 0, maxRecoveries: 3 }
  expect(await sweepLeases({ database, runLog: { apply } as RunLog, rule, leaseMs: 30_000 })).toEqual({ stalled: 0 })
  expect(outline(await bench.ended(id))).not.toContain('stalled heartbeat_lost')
})

test('a database that cuts every connection costs no run: all come to their end', async () => {
  const { database } = bench.service
  const steps = Array.from({ length: 8 }, (_, n) => ({ say: `${n}`, tokens: 2, delay_ms: 30 }))
  const ids = await Promise.all(Array.from({ length: 10 }, () => bench.create(scripted(steps))))
  for (const finished of [2, 4, 6]) {
    await bench.until(ids[0] ?? '', (events) => ofType(events, 'step.done').length >= finished)
    await database.query({ text: cutConnections })
  }
  for (const id of ids) {
    const events = await eventually(async () => {
      const all = await bench.events(id).catch(() => [])
      return all.at(-1)?.type === 'run.worker.succeeded' ? all : undefined
    }, 15_000)
    expect(ofType(events, 'step.done').map(({ content }) => content)).toEqual(steps.map(({ say }) => say))
  }
})

const cutConnections = `
  select pg_terminate_backend(pid)
  from pg_stat_activity
  where datname = current_database() and application_name like 'runwright%' and application_name <> 'runwright test'`
