// The engine when there are more runs than slots: who yields, and when it looks who waits.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { engineBench, gateStep, queuedRun, waitStep } from '../../test/support/engine-bench.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('when another customer waits and no slot is free', () => {
  const [a, b] = [{ customerId: 'a' }, { customerId: 'b' }]
  const queued = () => Array.from({ length: 3 }, () => queuedRun(a))

  test('the first run that ends a step yields, and the slot goes to the one that waits', async () => {
    const [one, two, three] = queued() as [ClaimedRun, ClaimedRun, ClaimedRun]
    const { engine, claimer, gate, settle, stop, fateOf } = engineBench(3, [one, two, three])
    const calls = await Promise.all([one, two, three].map(({ id }) => gate.called(id)))
    const mine = queuedRun(b)
    claimer.queue.push(queuedRun(a), mine)
    await vi.advanceTimersByTimeAsync(100)
    engine.poke()
    await settle()
    for (const call of calls.slice(1)) call.succeed()
    await gate.called(mine.id)
    expect([one, two, three].map(fateOf)).toEqual([[], ['hand_over'], []])
    expect(claimer.claims.all.at(-1)).toMatchObject({ atMost: 1, held: [{ customerId: 'a', inLane: { short: 2 } }] })
    await gate.called(three.id, 2)
    await stop()
  })

  test('a run that only waits yields at once', async () => {
    const [one, two] = [queuedRun(a, [waitStep, gateStep]), queuedRun(a, [waitStep, gateStep])]
    const { engine, claimer, gate, settle, stop, changes } = engineBench(2, [one, two])
    await settle()
    await vi.advanceTimersByTimeAsync(500)
    const mine = queuedRun(b)
    claimer.queue.push(mine)
    engine.poke()
    await gate.called(mine.id)
    const parked = changes.all.filter(({ trigger }) => trigger === 'park')
    expect(parked).toMatchObject([{ runId: one.id, readyInMs: expect.closeTo(1_000, -2) }])
    await stop()
  })

  test('a run of the only customer never yields', async () => {
    const [one, two, three] = queued() as [ClaimedRun, ClaimedRun, ClaimedRun]
    const { claimer, gate, settle, stop, fateOf } = engineBench(2, [one, two, three])
    const call = await gate.called(one.id)
    await settle()
    expect(claimer.looks.all).toHaveLength(1)
    call.succeed()
    await gate.called(one.id, 2)
    expect(fateOf(one)).toEqual([])
    await stop()
  })

  test('two customers end up with half of the slots each', async () => {
    const many = (part: Partial<ClaimedRun>) =>
      Array.from({ length: 20 }, () => queuedRun(part, Array(50).fill(gateStep)))
    const { engine, claimer, gate, settle, stop, changes } = engineBench(8, many(a))
    const placesOf = () => gate.calls.all.slice(-8).map(({ context }) => context.customerId)
    await settle()
    expect(new Set(placesOf())).toEqual(new Set(['a']))
    claimer.queue.push(...many(b))
    await vi.advanceTimersByTimeAsync(100)
    engine.poke()
    for (let round = 0; round < 10; round += 1) {
      await settle()
      for (const call of gate.calls.all.slice(-8)) call.succeed()
    }
    await settle()
    expect(placesOf().toSorted()).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'])
    const yields = changes.all.filter(({ trigger }) => trigger === 'hand_over')
    expect(yields.map(({ customerId }) => customerId)).toEqual(['a', 'a', 'a', 'a'])
    await stop()
  })
})

describe('a look at who waits', () => {
  const full = () => [queuedRun(), queuedRun()]

  test('is not taken while there are free slots', async () => {
    const { engine, claimer, settle, stop } = engineBench(3, full())
    await settle()
    engine.poke()
    await settle()
    expect(claimer.looks.all).toEqual([])
    await stop()
  })

  test('is not taken when no customer could yield', async () => {
    const { engine, claimer, settle, stop } = engineBench(2, [
      queuedRun({ customerId: 'a' }),
      queuedRun({ customerId: 'b' }),
    ])
    await settle()
    engine.poke()
    await settle()
    expect(claimer.looks.all).toEqual([])
    await stop()
  })

  test('is taken for the full lanes, and not again until a wake-up if no customer waits', async () => {
    const { engine, claimer, gate, settle, stop } = engineBench(2, full())
    await settle()
    expect(claimer.looks.all.map((lanes) => lanes.map(({ runClass }) => runClass).toSorted())).toEqual([
      ['default', 'long', 'short'],
    ])
    await vi.advanceTimersByTimeAsync(200)
    const [call] = gate.calls.all
    call?.succeed()
    await settle()
    expect(claimer.looks.all).toHaveLength(1)
    engine.poke()
    await settle()
    expect(claimer.looks.all).toHaveLength(2)
    await stop()
  })

  test('is taken at most every 100 ms, and not forgotten', async () => {
    const { engine, claimer, settle, stop } = engineBench(2, full())
    await settle()
    for (let n = 0; n < 5; n += 1) {
      engine.poke()
      await settle()
    }
    expect(claimer.looks.all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(claimer.looks.all).toHaveLength(2)
    await stop()
  })

  test('that fails does not stop the engine', async () => {
    const [one, two] = full() as [ClaimedRun, ClaimedRun]
    const { engine, claimer, gate, logged, settle, stop } = engineBench(2, [one, two])
    claimer.findWaiting = async () => Promise.reject(new Error('a defect'))
    await settle()
    expect(logged).toEqual(['error waiting runs could not be counted'])
    const next = queuedRun()
    claimer.queue.push(next)
    engine.poke()
    for (const n of [1, 2]) (await gate.called(one.id, n)).succeed()
    await gate.called(next.id)
    await stop()
  })
})
