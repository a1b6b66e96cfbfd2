// Several processes' worth of run logs fight over the same runs; afterwards every invariant of the log must hold.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/postgres/database.ts'
import { statusOfLockedRow } from '../../src/store/run-log/change-values.ts'
import type { RunChange } from '../../src/store/run-log/run-change.ts'
import { RunCreator } from '../../src/store/run-log/run-creator.ts'
import { RunLog } from '../../src/store/run-log/run-log.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { newRun } from '../support/new-run.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const request = 'req_fight'
const worker = randomUUID()

const moves: ((runId: string, epoch: number) => RunChange)[] = [
  (runId, epoch) => ({
    runId,
    customerId: 'acme',
    epoch,
    trigger: 'progress',
    tokens: 7,
    events: [
      { type: 'step.progress', payload: { kind: 'content_delta', content_delta: 'x' } },
      { type: 'step.done', payload: { content: 'x', outcome: 'succeeded' } },
    ],
    usage: [{ key: randomUUID(), eventType: 'tokens.consumed', quantity: 7 }],
  }),
  (runId) => ({
    runId,
    customerId: 'acme',
    epoch: null,
    trigger: 'claim',
    lease: { workerId: worker, ms: 30_000 },
    events: [
      {
        type: 'run.worker.started',
        payload: { request_id: request, from_status: statusOfLockedRow, to_status: 'running', reason_code: null },
      },
    ],
  }),
  (runId, epoch) => ({
    runId,
    customerId: 'acme',
    epoch,
    trigger: 'stall',
    readyInMs: 0,
    events: [
      {
        type: 'run.worker.stalled',
        payload: {
          request_id: request,
          from_status: statusOfLockedRow,
          to_status: 'stalled',
          reason_code: 'lease_lost',
        },
      },
    ],
  }),
  (runId) => ({
    runId,
    customerId: 'acme',
    epoch: null,
    trigger: 'resume',
    readyInMs: 0,
    requestId: request,
    events: [
      { type: 'run.resumed', payload: { request_id: request, from_status: statusOfLockedRow, to_status: 'queued' } },
    ],
  }),
  (runId, epoch) => ({
    runId,
    customerId: 'acme',
    epoch,
    trigger: 'fail',
    events: [
      {
        type: 'run.worker.failed',
        terminal: true,
        payload: { request_id: request, from_status: statusOfLockedRow, to_status: 'failed', reason_code: 'x' },
      },
    ],
  }),
  (runId) => ({
    runId,
    customerId: 'acme',
    epoch: null,
    trigger: 'retry',
    readyInMs: 0,
    startsAttempt: true,
    events: [
      {
        type: 'run.worker.retry_scheduled',
        payload: { request_id: request, from_status: statusOfLockedRow, to_status: 'queued', reason_code: null },
      },
    ],
  }),
]

async function fight(log: RunLog, runs: readonly string[], rounds: number): Promise<number> {
  let applied = 0
  const epochs = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const changes = runs.map((runId) => {
      const move = moves[Math.floor(Math.random() * moves.length)] as (typeof moves)[number]
      return log.apply(move(runId, epochs.get(runId) ?? 0)).then((outcome) => {
        if (outcome.outcome !== 'applied') return
        epochs.set(runId, outcome.epoch)
        applied += 1
      })
    })
    await Promise.all(changes)
  }
  return applied
}

test('six logs that fight over sixty runs leave no gap, no lost event and no token uncounted', async () => {
  const creator = new RunCreator(fresh.open(1), () => undefined)
  const runs = Array.from({ length: 60 }, () => newRun())
  await Promise.all(runs.map((run) => creator.create(run)))
  const ids = runs.map((run) => run.id)
  const logs = Array.from({ length: 6 }, () => new RunLog(fresh.open(2), () => undefined))
  const counts = await Promise.all(logs.map((log) => fight(log, ids, 25)))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(500)
  expect(await violations(fresh.database)).toEqual([])
}, 60_000)

/** Every row breaks an invariant. */
async function violations(database: Database) {
  return database.query({
    text: `
      select 'gap in seq' as what, run_id from events group by run_id having max(seq) <> count(*) or min(seq) <> 1
      union all select 'counter' , r.id from runs r where r.next_seq - 1 <> (select count(*) from events e where e.run_id = r.id)
      union all select 'time reversal', run_id from (select run_id, at < lag(at) over (partition by run_id order by seq) as back from events) t where back
      union all select 'updated_at', r.id from runs r where r.updated_at <> (select max(at) from events e where e.run_id = r.id)
      union all select 'tokens', r.id from runs r where r.tokens <> (select coalesce(sum(quantity), 0) from usage_records u where u.run_id = r.id and event_type = 'tokens.consumed')
      union all select 'step without tokens', r.id from runs r where r.tokens <> 7 * (select count(*) from events e where e.run_id = r.id and e.type = 'step.done')
      union all select 'status chain', run_id from (
        select run_id, payload->>'from_status' as from_status, lag(payload->>'to_status') over (partition by run_id order by seq) as before
        from events where payload->>'to_status' is not null) t where before is not null and from_status <> before
      union all select 'status', r.id from runs r
        where replace(r.state, 'awaiting_input', 'running') <> coalesce((select payload->>'to_status' from events e
          where e.run_id = r.id and payload->>'to_status' is not null order by seq desc limit 1), 'queued')`,
  })
}
