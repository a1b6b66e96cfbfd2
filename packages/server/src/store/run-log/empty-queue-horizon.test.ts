import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import type { Database, Statement } from '../postgres/database.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { claimSession } from './claim-statement.ts'
import { EmptyQueueHorizon } from './empty-queue-horizon.ts'
import { RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

let now = 0
const lanes = [{ runClass: 'default', slots: 64, afterCustomer: '' }] as const
const claimerOf = (database: Database) =>
  new RunClaimer(database, () => undefined, {
    workerId: randomUUID(),
    leaseMs: 60_000,
    keys: new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) }),
    clock: () => now,
  })

async function queue(count: number): Promise<void> {
  const creator = new RunCreator(fresh.database, () => undefined)
  await Promise.all(Array.from({ length: count }, () => creator.create(newRun())))
}

test('a look goes back to the last one that left nothing, and at the whole queue every five seconds', () => {
  const known = new EmptyQueueHorizon()
  expect(known.lookBackMs('default', 1_000)).toBeNull()
  known.found('default', 1_000, null)
  expect(known.lookBackMs('default', 1_500)).toBe(1_500)
  known.found('default', 4_000, 4_000)
  expect(known.lookBackMs('default', 4_100)).toBe(1_100)
  expect(known.lookBackMs('default', 6_000)).toBeNull()
  expect(known.lookBackMs('short', 1_500)).toBeNull()
})

test('a run that becomes visible long after it was ready is claimed within five seconds', async () => {
  const claimer = claimerOf(fresh.database)
  const claim = async () => (await claimer.claim(lanes, 64)).runs.length
  expect(await claim()).toBe(0)
  await queue(1)
  await fresh.database.run({ text: "update runs set ready_at = ready_at - interval '1 minute'" })
  now += 4_999
  expect([await claim(), (await claimer.findWaiting(lanes)).length]).toEqual([0, 0])
  now += 1
  expect([(await claimer.findWaiting(lanes)).length, await claim()]).toEqual([1, 1])
})

test('while a claim leaves runs behind, the next ones go back as far as before', async () => {
  const claimer = claimerOf(fresh.database)
  const claim = async (slots: number) => (await claimer.claim([{ ...lanes[0], slots }], slots)).runs.length
  await queue(3)
  await fresh.database.run({
    text: "update runs set ready_at = ready_at - interval '1 minute' where ready_at is not null",
  })
  expect([await claim(1), await claim(1), await claim(1), await claim(1)]).toEqual([1, 1, 1, 0])
})

test('a claim does not read past the runs that were claimed while a snapshot was held', async () => {
  const blocks: number[] = []
  const database = fresh.open(1)
  const run = async (statement: Statement) => {
    blocks.push(await blocksOf(database, statement))
    return []
  }
  const claimer = claimerOf({ run } as unknown as Database)
  await fresh.open(1).transaction(async (holder) => {
    await holder.query('set transaction isolation level repeatable read')
    await holder.query('select 1')
    await queue(1_000)
    const backdate = "update runs set ready_at = ready_at - interval '1 hour' where ready_at is not null"
    await fresh.database.run({ text: backdate })
    await fresh.database.run({ text: "update runs set ready_at = null, state = 'cancelled' where worker_id is null" })
    await claimer.claim(lanes, 64)
    await claimer.claim(lanes, 64)
  })
  const [whole = 0, next = 0] = blocks
  // It still reads the index, but none of the rows.
  expect(whole).toBeGreaterThan(100)
  expect(next).toBeLessThan(whole / 2)
})

/** How many blocks the statement reads. */
async function blocksOf(database: Database, { text, values = [] }: Statement): Promise<number> {
  return database.transaction(async (client) => {
    for (const [name, value] of Object.entries(claimSession)) await client.query(`set local ${name} = ${value}`)
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values])
    const [{ Plan: plan }] = JSON.parse(rows[0]['QUERY PLAN'])
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  })
}
