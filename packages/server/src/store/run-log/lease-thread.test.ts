// The thread that renews leases while the event loop of a worker is late: with a real thread and a real database.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { Occurrences } from '../../../test/support/occurrences.ts'
import { SideThread } from '../../runtime/threads/side-thread.ts'
import { Heartbeat } from '../../runtime/watchdog/heartbeat.ts'
import type { Database } from '../postgres/database.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { LeaseThread, type ThreadRenewal } from './lease-thread.ts'
import { type ClaimedRun, RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'

const leaseMs = 1_500
const holdMs = 1_000
const workerId = randomUUID()
const failures: unknown[] = []
const thread = new SideThread({ onFailure: (error) => failures.push(error) })
const heartbeat = new Heartbeat()
let database: Database
let run: ClaimedRun

beforeAll(async () => {
  const fresh = await freshDatabase()
  database = fresh.database
  heartbeat.start()
  return fresh.drop
})
beforeEach(async () => {
  await database.query({ text: 'truncate runs, run_inputs, event_rows' })
  await new RunCreator(database, () => undefined).create(newRun({ customerId: 'acme' }))
  const keys = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  const claimer = new RunClaimer(database, () => undefined, { workerId, leaseMs, keys })
  const { runs } = await claimer.claim([{ runClass: 'default', slots: 1, afterCustomer: '' }], 1)
  run = runs[0] as ClaimedRun
})
afterAll(async () => {
  heartbeat.stop()
  await thread.stop()
  expect(failures).toEqual([])
})

function newThread(connection = database.options.connection) {
  const renewals = new Occurrences<ThreadRenewal>()
  const problems = new Occurrences<string>()
  const leases = new LeaseThread({
    thread,
    heartbeat,
    connection,
    workerId,
    leaseMs,
    everyMs: 100,
    onProblem: (problem) => problems.add(problem),
  })
  leases.onRenewed((renewal) => renewals.add(renewal))
  const goOn = (stepMs?: number) => leases.goOnWith([{ runId: run.id, customerId: 'acme', epoch: run.epoch, stepMs }])
  return { leases, renewals, problems, goOn }
}

const row = async () =>
  (
    await database.query<{ left_ms: number; step_ms: number | null }>({
      text: `
select extract(epoch from lease_until - clock_timestamp())::float8 * 1000 as left_ms,
  extract(epoch from step_until - clock_timestamp())::float8 * 1000 as step_ms
from runs`,
    })
  )[0]

/** The event loop does not turn, and neither does the beat. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a worker that says nothing for a while keeps its leases', async () => {
  const { leases, renewals, goOn } = newThread()
  goOn(60_000)
  const { ours } = await renewals.nth(3, () => true)
  expect([...ours]).toEqual([[run.id, { isLeaving: false }]])
  const { left_ms, step_ms } = (await row()) ?? {}
  expect(left_ms).toBeGreaterThan(0)
  // The time since the worker said it is taken off.
  expect(step_ms).toBeLessThan(60_800)
  leases.stop()
})

test('while the event loop is blocked, leases are renewed for two thirds of their time, and it is heard at once', async () => {
  const { leases, renewals, goOn } = newThread()
  goOn()
  await renewals.nth(1, () => true)
  const before = performance.now()
  block(3 * holdMs)
  const heard = renewals.all.length
  leases.catchUp()
  const sent = renewals.all.slice(heard).map(({ sentAt }) => sentAt.monotonicMs - before)
  expect(sent.filter((ms) => ms > 0).length).toBeGreaterThan(2)
  expect(Math.max(...sent)).toBeLessThan(2 * holdMs)
  leases.stop()
})

test('a run that another worker has claimed is not renewed', async () => {
  const { leases, renewals, goOn } = newThread()
  await database.query({ text: 'update runs set epoch = epoch + 1' })
  goOn()
  const { asked, ours } = await renewals.nth(1, () => true)
  expect(asked).toEqual([{ runId: run.id, epoch: run.epoch }])
  expect(ours.size).toBe(0)
  leases.stop()
})

test.each([
  ['holds nothing any more', (leases: LeaseThread) => leases.goOnWith([])],
  ['has stopped', (leases: LeaseThread) => leases.stop()],
])('a worker that %s gets no renewals', async (_, end) => {
  const { leases, renewals, goOn } = newThread()
  goOn()
  await renewals.nth(1, () => true)
  end(leases)
  const other = newThread()
  other.goOn()
  const after = performance.now() + 300
  await other.renewals.nth(1, ({ sentAt }) => sentAt.monotonicMs > after)
  expect(renewals.all.filter(({ sentAt }) => sentAt.monotonicMs > after)).toEqual([])
  for (const each of [leases, other.leases]) each.stop()
})

test('a database that cannot be reached is told', async () => {
  const { leases, problems, goOn } = newThread({ connectionString: 'postgres://someone@127.0.0.1:1/none' })
  goOn()
  expect(await problems.nth(2, () => true)).toMatch(/ECONNREFUSED/)
  leases.stop()
})
