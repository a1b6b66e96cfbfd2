import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { engineBench, type FakeClaimer, queuedRun } from '../../test/support/engine-bench.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'
import type { Committed } from '../store/run-log/run-log.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const committed = (part: Partial<Committed>): Committed => ({
  runId: 'some run',
  state: undefined,
  customerId: 'acme',
  claimable: false,
  events: [],
  ...part,
})
const atMosts = ({ claims }: FakeClaimer) => claims.all.map(({ atMost }) => atMost)

describe('claims', () => {
  test('fill the slots, and the next one comes when a slot is free again', async () => {
    const [a, b, c] = [queuedRun(), queuedRun(), queuedRun()]
    const { claimer, gate, settle, stop } = engineBench(2, [a, b, c])
    await gate.called(b.id)
    await settle()
    expect(atMosts(claimer)).toEqual([2])
    ;(await gate.called(a.id)).succeed()
    ;(await gate.called(a.id, 2)).succeed()
    await gate.called(c.id)
    expect(atMosts(claimer)).toEqual([2, 1])
    await stop()
  })

  test('tell which slots each customer holds', async () => {
    const [a, b] = [queuedRun({ customerId: 'a' }), queuedRun({ customerId: 'b', runClass: 'default' })]
    const { engine, claimer, gate, settle, stop } = engineBench(8, [a, b])
    await gate.called(b.id)
    await settle()
    engine.poke()
    await settle()
    expect(claimer.claims.all.at(-1)?.held).toEqual([
      { customerId: 'a', inLane: { short: 1, default: 0, long: 0 } },
      { customerId: 'b', inLane: { short: 1, default: 1, long: 0 } },
    ])
    await stop()
  })

  test('stop when there is nothing more, until the next wake-up', async () => {
    const a = queuedRun()
    const { engine, claimer, gate, settle, stop } = engineBench(2, [a])
    ;(await gate.called(a.id)).succeed()
    ;(await gate.called(a.id, 2)).succeed()
    await settle()
    expect(atMosts(claimer)).toEqual([2])
    engine.poke()
    await settle()
    expect(atMosts(claimer)).toEqual([2, 2])
    await stop()
  })

  test('are repeated every second without a wake-up', async () => {
    const { claimer, settle, stop } = engineBench(2)
    await settle()
    await vi.advanceTimersByTimeAsync(999)
    expect(claimer.claims.all).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(claimer.claims.all).toHaveLength(3)
    await stop()
  })

  test('go on at once while a customer may have more runs than its share', async () => {
    const [a, b] = [queuedRun(), queuedRun()]
    const served = (hasMore: boolean) => new Map([['short' as const, { lastCustomer: 'acme', hasMore }]])
    const { claimer, gate, settle, stop } = engineBench(4, [a, b], (queue) => {
      const { claim } = queue
      queue.claim = async (lanes, _, held) => {
        const { runs: claimed } = await claim(lanes, 1, held)
        return { runs: claimed, lanes: served(queue.queue.length > 0) }
      }
    })
    await gate.called(b.id)
    await settle()
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })
})

describe('wake-ups', () => {
  test('of this worker alone are left to others when it has no room, and claim nothing', async () => {
    const { engine, claimer, told, gate, settle, stop } = engineBench(1, [queuedRun()])
    await gate.calls.nth(1, () => true)
    await settle()
    engine.wake()
    await settle()
    expect(told).toEqual(['full', 'unserved'])
    expect(claimer.claims.all).toHaveLength(1)
    await stop()
  })

  test('of this worker alone are left to others when its claim took all slots', async () => {
    const { engine, claimer, told, settle, stop } = engineBench(2)
    await settle()
    claimer.queue.push(queuedRun(), queuedRun(), queuedRun())
    engine.wake()
    await settle()
    expect(told).toEqual(['full', 'unserved'])
    await stop()
  })

  test('of this worker alone are left to others when runs of one class have no room', async () => {
    const { engine, claimer, told, settle, stop } = engineBench(4)
    await settle()
    claimer.queue.push(queuedRun({ runClass: 'long' }), queuedRun({ runClass: 'long' }))
    engine.wake()
    await settle()
    expect(told).toEqual(['full', 'unserved'])
    await stop()
  })

  test('of this worker alone end with it when it took everything', async () => {
    const { engine, claimer, told, settle, stop } = engineBench(4)
    await settle()
    claimer.queue.push(queuedRun())
    engine.wake()
    await settle()
    expect([told, claimer.claims.all.length]).toEqual([[], 2])
    await stop()
  })

  test('of all workers are not passed on', async () => {
    const { engine, told, gate, settle, stop } = engineBench(1, [queuedRun()])
    await gate.calls.nth(1, () => true)
    engine.poke()
    await settle()
    expect(told).toEqual(['full'])
    await stop()
  })

  test('of a worker that stops are left to others', async () => {
    const { engine, told, settle, stop } = engineBench(2)
    await settle()
    await stop()
    engine.wake()
    expect(told).toEqual(['full', 'unserved'])
  })

  test('come when a parked run is due', async () => {
    const { engine, claimer, settle, stop } = engineBench(2)
    await settle()
    engine.onCommitted([committed({ readyInMs: 300 })])
    await vi.advanceTimersByTimeAsync(299)
    expect(claimer.claims.all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })

  test('during a claim are not lost', async () => {
    const a = queuedRun()
    const { engine, claimer, settle, gate, stop } = engineBench(2, [], (queue) => {
      const { claim } = queue
      queue.claim = async (...asked) => {
        const claimed = await claim(...asked)
        queue.claim = claim
        queue.queue.push(a)
        engine.poke()
        return claimed
      }
    })
    await settle()
    await gate.called(a.id)
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })

  test('of a run that has ended abort its execution', async () => {
    const a = queuedRun()
    const { engine, gate, settle, stop, fateOf } = engineBench(2, [a])
    const { context } = await gate.called(a.id)
    engine.onCommitted([committed({ runId: a.id, state: 'cancelled' })])
    await settle()
    expect([context.signal.aborted, fateOf(a)]).toEqual([true, []])
    await stop()
  })
})

test('a worker tells when it is full and when it has room again', async () => {
  const a = queuedRun()
  const { told, gate, settle, stop } = engineBench(1, [a])
  const call = await gate.called(a.id)
  await settle()
  expect(told).toEqual(['full'])
  call.succeed()
  ;(await gate.called(a.id, 2)).succeed()
  await settle()
  expect(told).toEqual(['full', 'room'])
  await stop()
})

describe('on stop', () => {
  test('a run is handed over when its step has ended', async () => {
    const a = queuedRun()
    const { engine, gate, fateOf, claimer } = engineBench(2, [a])
    const call = await gate.called(a.id)
    const stopped = engine.stop()
    call.succeed()
    await stopped
    expect([fateOf(a), call.context.signal.aborted]).toEqual([['hand_over'], false])
    expect(claimer.claims.all).toHaveLength(1)
  })

  test('a step that takes too long is aborted, and its run is handed over', async () => {
    const a = queuedRun()
    const { gate, stop, fateOf } = engineBench(2, [a])
    const call = await gate.called(a.id)
    await stop()
    expect([fateOf(a), call.context.signal.aborted]).toEqual([['hand_over'], true])
  })

  test('runs wait for a database that is away until the grace period is over', async () => {
    const a = queuedRun()
    const { engine, gate, retryBudget } = engineBench(2, [a])
    await gate.called(a.id)
    const stopped = engine.stop()
    await vi.advanceTimersByTimeAsync(4_999)
    expect(retryBudget.ms).toBe(Number.POSITIVE_INFINITY)
    await vi.advanceTimersByTimeAsync(1)
    await stopped
    expect(retryBudget.ms).toBe(5_000)
  })
})

test('a run that cannot be started is logged and holds no slot', async () => {
  const [broken, a, b] = [
    queuedRun({ plan: { steps: 'none' } as unknown as ClaimedRun['plan'] }),
    queuedRun(),
    queuedRun(),
  ]
  const { engine, gate, logged, claimer, settle, stop } = engineBench(2, [broken, a])
  await gate.called(a.id)
  await settle()
  expect(logged).toEqual(['error a run could not be started'])
  claimer.queue.push(b)
  engine.poke()
  await gate.called(b.id)
  await stop()
})

describe('a claim that fails', () => {
  test('gives back what this process may hold without knowing it, if its answer was lost', async () => {
    const a = queuedRun()
    const { engine, claimer, gate, settle, stop, logged } = engineBench(2, [a])
    await gate.called(a.id)
    await settle()
    claimer.failure = new Error('Connection terminated unexpectedly')
    engine.poke()
    await settle()
    expect([claimer.givenBack, logged]).toEqual([[[a.id]], []])
    await stop()
  })

  test('gives it back before the next claim, if the database was away', async () => {
    const { engine, claimer, settle, stop } = engineBench(2)
    await settle()
    claimer.failure = new Error('Connection terminated unexpectedly')
    claimer.giveBackFailure = new Error('Connection terminated unexpectedly')
    engine.poke()
    await settle()
    expect(claimer.givenBack).toHaveLength(1)
    claimer.giveBackFailure = undefined
    engine.poke()
    await settle()
    expect(claimer.givenBack).toHaveLength(2)
    engine.poke()
    await settle()
    expect(claimer.givenBack).toHaveLength(2)
    await stop()
  })

  test('is logged if it is a defect, and repeated later', async () => {
    const { claimer, settle, stop, logged } = engineBench(2, [], (queue) => {
      queue.failure = new Error('a defect')
    })
    await settle()
    expect([claimer.givenBack, logged]).toEqual([[], ['error runs could not be claimed']])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(claimer.claims.all).toHaveLength(2)
    await stop()
  })
})

describe('a worker that falls behind', () => {
  test('claims nothing until it keeps up again, and tells others', async () => {
    const { engine, claimer, gate, told, settle, stop } = engineBench(8)
    await settle()
    engine.limit({ slots: 4, isBehind: true })
    const run = queuedRun()
    claimer.queue.push(run)
    engine.poke()
    await settle()
    expect([gate.calls.all.length, told]).toEqual([0, ['full']])
    engine.limit({ slots: 4, isBehind: false })
    await gate.called(run.id)
    await settle()
    expect(told).toEqual(['full', 'room'])
    await stop()
  })

  test('claims what it has room for when it keeps up again, also if it has none for other classes', async () => {
    const long = queuedRun({ runClass: 'long' })
    const { engine, claimer, gate, settle, stop } = engineBench(2, [long])
    await gate.called(long.id)
    await settle()
    engine.limit({ slots: 2, isBehind: true })
    const short = queuedRun()
    claimer.queue.push(short)
    engine.poke()
    await settle()
    expect(gate.calls.all).toHaveLength(1)
    engine.limit({ slots: 2, isBehind: false })
    // No timer fires here: only the new limit can have woken it.
    await settle()
    expect(gate.calls.all).toHaveLength(2)
    await stop()
  })

  test('keeps what it executes, and takes fewer runs after that', async () => {
    const queue = Array.from({ length: 6 }, () => queuedRun())
    const { engine, gate, settle, stop } = engineBench(4, queue)
    await gate.calls.nth(4, () => true)
    engine.limit({ slots: 2, isBehind: false })
    const end = (from: number, to: number) => {
      for (const { succeed } of [...gate.calls.all].slice(from, to)) succeed()
    }
    end(0, 2)
    await settle()
    // Two are executed still: there is no slot for another one.
    expect(gate.calls.all).toHaveLength(4)
    end(2, 4)
    await gate.calls.nth(6, () => true)
    await stop()
  })
})
