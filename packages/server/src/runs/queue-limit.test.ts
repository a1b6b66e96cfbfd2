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

// The clock stands still unless a test moves it. Timers and I/O are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const pass = (ms: number) => vi.advanceTimersByTime(ms)
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Queues runs as another process would. */
const queueElsewhere = async (customerId: string, count: number) => {
  await Promise.all(Array.from({ length: count }, () => creator.create(newRun({ customerId }))))
}

const hasRoom = async (limit: QueueLimit, customerId: string): Promise<boolean> => {
  const reservation = await limit.reserve(customerId)
  reservation?.release(false)
  return reservation !== undefined
}

/** The last count of this customer is so old that the next one is due. */
const countedAWhileAgo = async (limit: QueueLimit, customerId: string) => {
  await hasRoom(limit, customerId)
  pass(1_500)
}

const aReservation = { release: expect.any(Function) }

/** Counts of queued runs block until the work has ended. */
const whileCountsHang = (work: () => Promise<void> | void): Promise<void> =>
  fresh.database.transaction(async (client) => {
    await client.query('lock table runs in access exclusive mode')
    await work()
  })

test('while there is room, creates do not wait for a count, and later ones use its result', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'beside')
  await queueElsewhere('beside', 3)
  await whileCountsHang(() => {
    expect(limit.reserve('beside')).toEqual(aReservation)
  })
  // Not `expect.poll`, which moves the clock.
  while (await hasRoom(limit, 'beside')) await soon()
})

test('runs created during a count are counted too', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'meanwhile')
  await whileCountsHang(async () => {
    for (const created of [true, true, false]) {
      const reservation = await limit.reserve('meanwhile')
      reservation?.release(created)
    }
    // So long that the next create waits for the count.
    pass(1_000)
  })
  // The count missed both runs. There is room for a third, but not for a fourth.
  expect(await limit.reserve('meanwhile')).toEqual(aReservation)
  expect(await limit.reserve('meanwhile')).toBeUndefined()
})

test('a count that was not used for a long time is repeated first', async () => {
  const limit = new QueueLimit(fresh.database, 3)
  await countedAWhileAgo(limit, 'long ago')
  pass(1_000)
  await queueElsewhere('long ago', 3)
  expect(await hasRoom(limit, 'long ago')).toBe(false)
})

test('a failed count blocks no create while there is room, and the next create repeats it', async () => {
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

test('far from the limit, a queue is counted only when other processes could have filled it', async () => {
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
