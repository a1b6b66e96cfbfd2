// Claims of suspects: runs whose workers have vanished again and again.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import type { Database } from '../postgres/database.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'
import { RunLog } from './run-log.ts'

let database: Database
let creator: RunCreator
let runLog: RunLog
beforeAll(async () => {
  const fresh = await freshDatabase()
  database = fresh.database
  creator = new RunCreator(database, () => undefined)
  runLog = new RunLog(database, () => undefined)
  return fresh.drop
})
beforeEach(async () => {
  await database.query({ text: 'truncate runs, run_inputs, event_rows' })
})

const newClaimer = () =>
  new RunClaimer(database, () => undefined, {
    workerId: randomUUID(),
    leaseMs: 60_000,
    keys: new SealingKeys(database, { encryptionKey: randomBytes(32) }),
    suspects: { suspectFrom: 2, aloneFrom: 3 },
  })

/** A stalled run that has lost so many workers, and has been ready for so long. */
async function stalledRun(lostWorkers: number, { customerId = 'acme', readyForMs = 0 } = {}): Promise<string> {
  const run = newRun({ customerId })
  await creator.create(run)
  await database.query({
    text: `
update runs
set state = 'stalled', lost_workers = $2, recoveries = $2, ready_at = now() - $3::float8 * interval '1 ms'
where id = $1`,
    values: [run.id, lostWorkers, readyForMs],
  })
  return run.id
}

const lanes = [{ runClass: 'default' as const, slots: 9, afterCustomer: '' }]
const idsOf = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id)
const rowOf = async (id: string) => {
  const [row] = await database.query<{ lost_workers: number; alone: boolean; recoveries: number }>({
    text: 'select lost_workers, alone, recoveries from runs where id = $1',
    values: [id],
  })
  return row
}

test('an ordinary claim, and a look at who waits, leave suspects out', async () => {
  const once = await stalledRun(1)
  await stalledRun(2, { customerId: 'suspected' })
  await stalledRun(3, { customerId: 'suspected' })
  expect(await newClaimer().findWaiting(lanes)).toEqual([{ runClass: 'default', customerId: 'acme', runs: 1 }])
  expect(idsOf((await newClaimer().claim(lanes, 9)).runs)).toEqual([once])
})

test('one suspect is claimed at a time, that with the fewest lost workers first, as any claim is', async () => {
  await stalledRun(1)
  const [worse, first, second] = [await stalledRun(3), await stalledRun(2), await stalledRun(2)]
  const claimed = await newClaimer().claimSuspect(0)
  expect(claimed).toMatchObject({ id: first, lostWorkers: 2, was: 'stalled', recoveries: 3 })
  expect(await newClaimer().claimSuspect(0)).toMatchObject({ id: second })
  expect(await newClaimer().claimSuspect(0)).toMatchObject({ id: worse, lostWorkers: 3 })
  expect(await newClaimer().claimSuspect(0)).toBeUndefined()
  const events = await database.query({ text: 'select type from event_rows where run_id = $1', values: [first] })
  expect(events).toEqual([{ type: 'run.resumed' }])
})

describe('a suspect is not claimed', () => {
  test('before it is ready', async () => {
    await stalledRun(2, { readyForMs: -60_000 })
    expect(await newClaimer().claimSuspect(0)).toBeUndefined()
  })

  test('if it must be alone and has not waited for so long', async () => {
    const id = await stalledRun(3, { readyForMs: 5_000 })
    expect(await newClaimer().claimSuspect(10_000)).toBeUndefined()
    expect(await newClaimer().claimSuspect(1_000)).toMatchObject({ id })
  })

  test('while its customer leaves for another cell', async () => {
    await database.query({ text: "insert into customers (id, move, move_cell) values ('mover', 'leaving', 'b')" })
    await stalledRun(2, { customerId: 'mover' })
    expect(await newClaimer().claimSuspect(0)).toBeUndefined()
  })
})

describe('the counts of a run', () => {
  const apply = (id: string, change: object) =>
    runLog.apply({ runId: id, customerId: 'acme', epoch: null, trigger: 'progress', ...change })

  test('a lost worker adds one, and a finished step sets them to 0', async () => {
    const id = await stalledRun(2)
    await newClaimer().claimSuspect(0)
    await apply(id, { trigger: 'stall', losesWorker: true, readyInMs: 0 })
    expect(await rowOf(id)).toMatchObject({ lost_workers: 3, recoveries: 3 })
    await newClaimer().claimSuspect(0)
    await apply(id, { resetsRecoveries: true })
    expect(await rowOf(id)).toMatchObject({ lost_workers: 0, recoveries: 0 })
  })

  test('a resume keeps the lost workers', async () => {
    const id = await stalledRun(3)
    await apply(id, { trigger: 'resume', readyInMs: 0, resetsRecoveries: true, keepsLostWorkers: true })
    expect(await rowOf(id)).toMatchObject({ lost_workers: 3, recoveries: 0 })
  })

  test('a worker that executes nothing else is noted until the next claim', async () => {
    const id = await stalledRun(3)
    await newClaimer().claimSuspect(0)
    await apply(id, { isAlone: true })
    await apply(id, { trigger: 'hand_over', readyInMs: 0 })
    expect(await rowOf(id)).toMatchObject({ alone: true })
    await newClaimer().claimSuspect(0)
    expect(await rowOf(id)).toMatchObject({ alone: false })
  })
})
