// What is refused while a customer is being moved to another cell, and that other customers do not notice.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addCustomer } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { type Move, setMoveState } from '../cells/move-state.ts'
import { isMoving } from '../postgres/errors.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { takeBackRuns } from './revoke-leases.ts'
import { RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'
import { RunLog } from './run-log.ts'

let fresh: FreshDatabase
let creator: RunCreator
let log: RunLog
let claimer: RunClaimer
beforeAll(async () => {
  fresh = await freshDatabase()
  creator = new RunCreator(fresh.database, () => undefined, { enough: 4 })
  log = new RunLog(fresh.database, () => undefined)
  const keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  claimer = new RunClaimer(fresh.database, () => undefined, { workerId: randomUUID(), leaseMs: 60_000, keys })
  await addCustomer(fresh.database, 'acme')
  await addCustomer(fresh.database, 'other')
})
beforeEach(async () => {
  await fresh.database.query({ text: 'truncate runs, run_inputs, event_rows' })
  await move(null)
})
afterAll(() => fresh.drop())

const move = (to: Move | null) => setMoveState(fresh.database, 'acme', { move: to, cell: to && 'b' })
const create = (customerId: string) => creator.create(newRun({ customerId }))
const cancel = (runId: string) =>
  log.apply({
    runId,
    customerId: 'acme',
    epoch: null,
    trigger: 'cancel',
    events: [{ type: 'run.cancelled', payload: {} }],
  })

async function createdRun(): Promise<string> {
  const run = newRun({ customerId: 'acme' })
  await creator.create(run)
  return run.id
}

const claim = async () => (await claimer.claim([{ runClass: 'default', slots: 9, afterCustomer: '' }], 9)).runs

const writesRefused = ['held', 'moved', 'arriving'] as const
const claimsRefused = ['leaving', ...writesRefused] as const

describe.each(writesRefused)('when a customer is %s', (state) => {
  test('its creates are refused, and those of others in the same batch are not', async () => {
    await move(state)
    const creates = await Promise.allSettled([create('other'), create('acme'), create('other'), create('acme')])
    expect(creates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
    expect(creates.flatMap((one) => (one.status === 'rejected' ? [isMoving(one.reason)] : []))).toEqual([true, true])
    const rows = await fresh.database.query({
      text: 'select customer_id from run_inputs join runs using (customer_id)',
    })
    expect(rows.every(({ customer_id }) => customer_id === 'other')).toBe(true)
  })

  test('a create that meets a used key is refused, too', async () => {
    const run = newRun({ customerId: 'other' })
    await creator.create(run)
    await move(state)
    const again = creator.create(newRun({ customerId: 'other', idempotencyKey: run.idempotencyKey }))
    expect(await again).toMatchObject({ outcome: 'exists' })
    await expect(create('acme')).rejects.toSatisfy(isMoving)
  })

  test('its runs are not changed', async () => {
    const id = await createdRun()
    await move(state)
    expect(await cancel(id)).toMatchObject({ outcome: 'moving' })
    await move(null)
    expect(await cancel(id)).toMatchObject({ outcome: 'applied', was: 'queued' })
  })
})

test.each(claimsRefused)('the runs of a customer that is %s are not claimed', async (state) => {
  await Promise.all([create('acme'), create('other')])
  await move(state)
  expect((await claim()).map(({ customerId }) => customerId)).toEqual(['other'])
})

test.each(['copying', 'leaving'] as const)('a customer that is %s creates and changes runs as usual', async (state) => {
  await move(state)
  expect(await cancel(await createdRun())).toMatchObject({ outcome: 'applied' })
})

test('a renewal tells the worker that the customer leaves', async () => {
  await Promise.all([create('acme'), create('other')])
  const runs = await claim()
  const renew = () =>
    claimer.renew(runs.map(({ id, customerId, epoch }) => ({ runId: id, customerId, epoch, stepMs: undefined })))
  await move('copying')
  expect([...(await renew()).values()].map(({ isLeaving }) => isLeaving)).toEqual([false, false])
  await move('leaving')
  const renewed = await renew()
  const told = Object.fromEntries(runs.map(({ id, customerId }) => [customerId, renewed.get(id)?.isLeaving]))
  expect(told).toEqual({ acme: true, other: false })
})

test('runs that are taken back are lost to their worker, and those of others are not', async () => {
  await Promise.all([create('acme'), create('other')])
  const runs = await claim()
  expect(await takeBackRuns(fresh.database, 'acme')).toBe(1)
  const renewed = await claimer.renew(
    runs.map(({ id, customerId, epoch }) => ({ runId: id, customerId, epoch, stepMs: undefined })),
  )
  expect(runs.filter(({ id }) => renewed.has(id)).map(({ customerId }) => customerId)).toEqual(['other'])
  expect((await claim()).map(({ customerId }) => customerId)).toEqual(['acme'])
})
