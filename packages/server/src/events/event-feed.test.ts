import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { keepBusy } from '../../test/support/busy-loop.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { Occurrences } from '../../test/support/occurrences.ts'
import { setMoveState } from '../store/cells/move-state.ts'
import { Database } from '../store/postgres/database.ts'
import { blameProcess } from '../store/postgres/errors.ts'
import { Notifications } from '../store/postgres/notifications.ts'
import type { StoredEvent } from '../store/run-log/run-change.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { type Announce, RunLog } from '../store/run-log/run-log.ts'
import { EventFeed } from './event-feed.ts'
import { EventHub } from './event-hub.ts'
import { WakeUps } from './wake-ups.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: "insert into customers (id) values ('acme')" })
})
afterAll(() => fresh.drop())

/** Collects what a follower receives, and resolves when it has received a given number of events. */
function collector() {
  const seqs: number[] = []
  let wanted: { count: number; resolve: () => void } | undefined
  const deliver = (events: readonly StoredEvent[]) => {
    seqs.push(...events.map(({ seq }) => seq))
    if (wanted && seqs.length >= wanted.count) wanted.resolve()
    return events.length
  }
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      if (seqs.length >= count) resolve()
      else wanted = { count, resolve }
    })
  return { seqs, deliver, until }
}

async function runWith(announce: Announce, events: number) {
  const run = newRun()
  await new RunCreator(fresh.database, announce).create(run)
  const log = new RunLog(fresh.database, announce)
  const append = (count: number) =>
    log.apply({
      runId: run.id,
      customerId: 'acme',
      epoch: null,
      trigger: 'meter',
      events: Array.from(
        { length: count },
        () => ({ type: 'step.progress', payload: { kind: 'content_delta' } }) as const,
      ),
    })
  if (events > 1) await append(events - 1)
  return { runId: run.id, append }
}

const fail = (error: unknown) => {
  throw error
}

const upTo = (last: number, after = 0) => Array.from({ length: last - after }, (_, index) => after + index + 1)

describe('a follower', () => {
  test('of a run that was deleted fails, and others go on', async () => {
    const hub = new EventHub()
    const feed = new EventFeed(fresh.database, hub)
    const [deleted, other] = [await runWith(() => undefined, 2), await runWith(() => undefined, 2)]
    const failed: unknown[] = []
    const follow = async (runId: string) => {
      const { deliver, until } = collector()
      feed.follow({ customerId: 'acme', runId, after: 0, deliver, fail: (error) => failed.push(error) })
      await until(2)
    }
    await follow(deleted.runId)
    await follow(other.runId)
    expect(await feed.runOnce()).toEqual({ checked: 2 })
    expect(failed).toEqual([])
    await fresh.database.run({ text: 'delete from runs where id = $1', values: [deleted.runId] })
    await feed.runOnce()
    expect(failed).toMatchObject([{ reason: 'RUN_NOT_FOUND' }])
    expect(await feed.runOnce()).toEqual({ checked: 1 })
  })

  test.each(['moved', 'gone'] as const)(
    'of a customer that is %s to another cell is told to try again',
    async (move) => {
      const feed = new EventFeed(fresh.database, new EventHub())
      const { runId } = await runWith(() => undefined, 2)
      const { deliver, until } = collector()
      const failed: unknown[] = []
      feed.follow({ customerId: 'acme', runId, after: 0, deliver, fail: (error) => failed.push(error) })
      await until(2)
      await setMoveState(fresh.database, 'acme', { move, cell: 'b' })
      onTestFinished(() => setMoveState(fresh.database, 'acme', { move: null, cell: null }))
      await feed.runOnce()
      expect(failed).toEqual([])
      await fresh.database.run({ text: 'delete from runs where id = $1', values: [runId] })
      await feed.runOnce()
      expect(failed).toMatchObject([{ reason: 'CUSTOMER_MOVING' }])
    },
  )

  test('gets the stored events after its cursor, then new ones, in order and once', async () => {
    const hub = new EventHub()
    const { runId, append } = await runWith((committed) => hub.publish(committed), 3)
    const { seqs, deliver, until } = collector()
    const follower = new EventFeed(fresh.database, hub).follow({ customerId: 'acme', runId, after: 1, deliver, fail })
    await until(2)
    for (let round = 0; round < 5; round += 1) await append(2)
    await until(12)
    expect(seqs).toEqual(upTo(13, 1))
    follower.stop()
  })

  test('catches up over many pages', async () => {
    const hub = new EventHub()
    const { runId } = await runWith(() => undefined, 1_001)
    const { seqs, deliver, until } = collector()
    new EventFeed(fresh.database, hub).follow({ customerId: 'acme', runId, after: 0, deliver, fail })
    await until(1_001)
    expect(seqs).toEqual(upTo(1_001))
  })

  test('misses nothing that is committed while it catches up', async () => {
    const hub = new EventHub()
    const { runId, append } = await runWith((committed) => hub.publish(committed), 50)
    const { seqs, deliver, until } = collector()
    const feed = new EventFeed(fresh.database, hub)
    const writing = Promise.all(Array.from({ length: 40 }, () => append(3)))
    feed.follow({ customerId: 'acme', runId, after: 0, deliver, fail })
    await writing
    await until(170)
    expect(seqs).toEqual(upTo(170))
  })

  test('reads for itself when the hub hands over an event that is not its next one', async () => {
    const hub = new EventHub()
    const silent = await runWith(() => undefined, 1)
    const { seqs, deliver, until } = collector()
    new EventFeed(fresh.database, hub).follow({ customerId: 'acme', runId: silent.runId, after: 0, deliver, fail })
    await until(1)
    await silent.append(3)
    hub.publish([
      {
        customerId: 'acme',
        runId: silent.runId,
        state: undefined,
        claimable: false,
        events: [{ seq: 4 } as StoredEvent],
      },
    ])
    await until(4)
    expect(seqs).toEqual([1, 2, 3, 4])
  })

  test('that reads slowly gets nothing until it resumes, then everything', async () => {
    const hub = new EventHub()
    const { runId, append } = await runWith((committed) => hub.publish(committed), 1)
    const { seqs, deliver, until } = collector()
    let isPaused = false
    const feed = new EventFeed(fresh.database, hub)
    const follower = feed.follow({
      customerId: 'acme',
      runId,
      after: 0,
      deliver: (events) => (isPaused ? 0 : deliver(events)),
      fail,
    })
    await until(1)
    isPaused = true
    await append(2)
    await feed.runOnce()
    expect(seqs).toEqual([1])
    isPaused = false
    follower.resume()
    await until(3)
    expect(seqs).toEqual([1, 2, 3])
  })

  test('is found by the poll when a wake-up was lost', async () => {
    const hub = new EventHub()
    const { runId, append } = await runWith(() => undefined, 1)
    const { seqs, deliver, until } = collector()
    const feed = new EventFeed(fresh.database, hub)
    feed.follow({ customerId: 'acme', runId, after: 0, deliver, fail })
    await until(1)
    await append(1)
    expect(await feed.runOnce()).toEqual({ checked: 1 })
    await until(2)
    expect(seqs).toEqual([1, 2])
  })

  describe('of a process that is too busy for the database', () => {
    function openShort(): Database {
      const { connection } = fresh
      const options = { connection, maxConnections: 1, applicationName: 'runwright test', connectTimeoutMs: 300 }
      const database = new Database(options)
      onTestFinished(() => database.close())
      return database
    }

    test('does not fail when a pass cannot be made, and gets what the next pass finds', async () => {
      const hub = new EventHub()
      const { runId, append } = await runWith(() => undefined, 2)
      const { seqs, deliver, until } = collector()
      const feed = new EventFeed(openShort(), hub)
      const follower = feed.followAfterRead({ customerId: 'acme', runId, after: 2, deliver, fail })
      follower.endRead([], true)
      await append(1)
      // The connection is not open yet, and each turn takes longer than opening it may take.
      await expect(keepBusy(400, feed.runOnce())).rejects.toThrow('the database cannot be reached')
      expect(await feed.runOnce()).toEqual({ checked: 1 })
      await until(1)
      expect(seqs).toEqual([3])
    })

    test('does not fail when its events cannot be read, and gets them later', async () => {
      const { runId } = await runWith(() => undefined, 2)
      const { seqs, deliver, until } = collector()
      const refusals = [blameProcess(new Error('no connection in time'))]
      const query: Database['query'] = async (statement, budget) => {
        if (refusals.length > 0) throw refusals.pop()
        return fresh.database.query(statement, budget)
      }
      const database = { query } as unknown as Database
      new EventFeed(database, new EventHub()).follow({ customerId: 'acme', runId, after: 0, deliver, fail })
      await until(2)
      expect([seqs, refusals]).toEqual([[1, 2], []])
    })
  })

  test('fails when the database is away', async () => {
    const { runId } = await runWith(() => undefined, 1)
    const failed: unknown[] = []
    const nowhere = new Database({
      connection: { host: '127.0.0.1', port: 1 },
      maxConnections: 1,
      applicationName: 'runwright test',
    })
    const feed = new EventFeed(nowhere, new EventHub())
    const follower = feed.followAfterRead({
      customerId: 'acme',
      runId,
      after: 0,
      deliver: (events) => events.length,
      fail: (error) => failed.push(error),
    })
    follower.endRead([], true)
    await expect(feed.runOnce()).rejects.toThrow('the database cannot be reached')
    expect(failed).toHaveLength(1)
  })

  test('that was stopped is forgotten', async () => {
    const hub = new EventHub()
    const { runId } = await runWith(() => undefined, 1)
    const follower = new EventFeed(fresh.database, hub).follow({
      customerId: 'acme',
      runId,
      after: 0,
      deliver: (events) => events.length,
      fail,
    })
    follower.stop()
    expect(hub.watchedRuns).toEqual([])
  })
})

test('a commit in this process wakes another one', async () => {
  const [here, there] = [new EventHub(), new EventHub()]
  const start = (hub: EventHub) =>
    new Promise<WakeUps>((resolve) => {
      const onReady = () => resolve(wakeUps)
      const wakeUps = new WakeUps({ connection: fresh.connection, hub, sender: randomUUID(), onReady })
      wakeUps.start()
    })
  const wakeUps = await Promise.all([here, there].map(start))
  const { runId, append } = await runWith((committed) => wakeUps[0]?.publish(committed), 1)
  const { seqs, deliver, until } = collector()
  new EventFeed(fresh.database, there).follow({ customerId: 'acme', runId, after: 0, deliver, fail })
  await until(1)
  await append(1)
  await until(2)
  expect(seqs).toEqual([1, 2])
  await Promise.all(wakeUps.map((wakeUp) => wakeUp.stop()))
})

/** Moves the clock of this process forward by this much. */
function passTime(ms: number): void {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  onTestFinished(() => clock.mockRestore())
}

test('a process without peers sends nothing until another one starts', async () => {
  const heard = new Occurrences<string>()
  const witness = new Notifications({
    connection: fresh.connection,
    channel: 'runwright_events',
    onMessage: (payload) => heard.add(payload),
    onListening: () => heard.add('listening'),
  })
  witness.start()
  await heard.nth(1, (message) => message === 'listening')
  const wakeUps = [1, 2].map(
    (n) => new WakeUps({ connection: fresh.connection, hub: new EventHub(), sender: `process ${n}` }),
  )
  const [first, second] = wakeUps as [WakeUps, WakeUps]
  first.start()
  const hello = 'process 1,here'
  await heard.nth(1, (message) => message === hello)
  passTime(2_100)
  const { append } = await runWith((committed) => first.publish(committed), 1)
  await append(1)
  // This is sent with or without peers, and in order: anything sent earlier would have arrived before it.
  first.publishBudgets()
  await heard.nth(1, (message) => message === 'process 1,budgets')
  expect(heard.all).toEqual(['listening', hello, 'process 1,budgets'])
  second.start()
  await heard.nth(2, (message) => message === hello)
  const { runId, append: appendAgain } = await runWith((committed) => first.publish(committed), 1)
  await appendAgain(1)
  await heard.nth(1, (message) => message.includes(runId))
  await Promise.all([first.stop(), second.stop(), witness.stop()])
})
