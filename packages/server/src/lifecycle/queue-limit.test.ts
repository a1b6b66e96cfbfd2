import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { QueueLimit } from './queue-limit.ts'

let fresh: FreshDatabase
let creator: RunCreator
beforeAll(async () => {
  fresh = await freshDatabase()
  creator = new RunCreator(fresh.database, () => undefined)
})
afterAll(() => fresh.drop())

// The clock stands still unless a test moves it; everything else goes on.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const pass = (ms: number) => vi.advanceTimersByTime(ms)
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

/** By another process, as far as the limit can tell. */
const queueElsewhere = async (customerId: string, count: number) => {
  await Promise.all(Array.from({ length: count }, () => creator.create(newRun({ customerId }))))
}

const hasRoom = async (limit: QueueLimit, customerId: string): Promise<boolean> => {
  const reservation = await limit.reserve(customerId)
  reservation?.settle(false)
  return reservation !== undefined
}

/** The customer has been counted, but so long ago that it is time for the next count. */
const countedAWhileAgo = async (limit: QueueLimit, customerId: string) => {
  await hasRoom(limit, customerId)
  pass(1_500)
}

const aReservation = { settle: expect.any(Function) }

/** Whatever counts queued runs meanwhile waits for the end of the work. */
const whileCountsHang = (work: () => Promise<void> | void): Promise<void> =>
  fresh.database.transaction(async (client) => {
    await client.query('lock table runs in access exclusive mode')
    await work()
  })

test('while there is room nobody waits for a count, and the next hear what it said', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'beside')
  await queueElsewhere('beside', 3)
  await whileCountsHang(() => {
    expect(limit.reserve('beside')).toEqual(aReservation)
  })
  // Without `expect.poll`, which moves the clock.
  while (await hasRoom(limit, 'beside')) await soon()
})

test('what is created while a count is under way is counted too', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'meanwhile')
  await whileCountsHang(async () => {
    for (const created of [true, true, false]) {
      const reservation = await limit.reserve('meanwhile')
      reservation?.settle(created)
    }
    // So long that who comes next waits for the count.
    pass(1_000)
  })
  // It found none of the two: a third has room, a fourth has not.
  expect(await limit.reserve('meanwhile')).toEqual(aReservation)
  expect(await limit.reserve('meanwhile')).toBeUndefined()
})

test('a count that nobody has asked for in a long time is made again first', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'long ago')
  pass(1_000)
  await queueElsewhere('long ago', 3)
  expect(await hasRoom(limit, 'long ago')).toBe(false)
})

test('a count that fails hinders nobody as long as there is room, and the next one is made again', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'failing')
  await queueElsewhere('failing', 3)
  await fresh.database.run({ text: 'alter table runs rename to gone' })
  expect(limit.reserve('failing')).toEqual(aReservation)
  await soon()
  expect(limit.reserve('failing')).toEqual(aReservation)
  await fresh.database.run({ text: 'alter table gone rename to runs' })
  while (await hasRoom(limit, 'failing')) await soon()
})

test('far from the limit a queue is counted only when others could have filled it', async () => {
  const limit = new QueueLimit(fresh.database, 1_000_000)
  await hasRoom(limit, 'far')
  const counts = vi.spyOn(fresh.database, 'query')
  onTestFinished(() => counts.mockRestore())
  pass(19_000)
  expect(limit.reserve('far')).toEqual(aReservation)
  expect(counts).not.toHaveBeenCalled()
  pass(2_000)
  expect(limit.reserve('far')).toEqual(aReservation)
  expect(counts).toHaveBeenCalledOnce()
  await counts.mock.results[0]?.value
})
