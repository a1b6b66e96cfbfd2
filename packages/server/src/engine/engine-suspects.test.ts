// Suspects in a process: runs whose workers have vanished again and again.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { engineBench, queuedRun } from '../../test/support/engine-bench.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const suspect = (lostWorkers = 2): ClaimedRun => queuedRun({ lostWorkers, was: 'stalled' })
/** The next poll. */
const second = () => vi.advanceTimersByTimeAsync(1_000)

describe('a suspect', () => {
  test('is executed beside other runs, and the next one is claimed when it has finished a step', async () => {
    const [a, b, other] = [suspect(), suspect(), queuedRun()]
    const { claimer, gate, stop } = engineBench(8, [other], ({ suspects }) => suspects.push(a, b))
    await gate.called(other.id)
    const call = await gate.called(a.id)
    await second()
    expect(gate.calls.all).toHaveLength(2)
    call.succeed()
    await gate.called(b.id)
    // The first one goes on beside it.
    await gate.called(a.id, 2)
    expect(claimer.suspects).toEqual([])
    await stop()
  })

  test('is claimed when the one before it is no longer executed here', async () => {
    const [a, b] = [suspect(), suspect()]
    const { engine, gate, stop } = engineBench(8, [], ({ suspects }) => suspects.push(a, b))
    await gate.called(a.id)
    engine.onCommitted([{ runId: a.id, customerId: 'acme', state: 'cancelled', claimable: false, events: [] }])
    await gate.called(b.id)
    await stop()
  })

  test('is looked for once a second at most, and not while no slot is free', async () => {
    const other = queuedRun()
    const { engine, claimer, gate, settle, stop } = engineBench(1, [other])
    await gate.called(other.id)
    await second()
    expect(claimer.suspectLooks).toHaveLength(1)
    ;(await gate.called(other.id)).succeed()
    ;(await gate.called(other.id, 2)).succeed()
    await settle()
    expect(claimer.suspectLooks).toHaveLength(2)
    engine.poke()
    await settle()
    expect(claimer.suspectLooks).toHaveLength(2)
    await second()
    expect(claimer.suspectLooks).toHaveLength(3)
    await stop()
  })
})

describe('a suspect that must be alone', () => {
  test('is left to idle workers for a while by one that executes other runs', async () => {
    const { claimer, gate, stop } = engineBench(8, [queuedRun()])
    await gate.calls.nth(1, () => true)
    await second()
    expect(claimer.suspectLooks).toEqual([0, 10_000])
    await stop()
  })

  test('begins when the others were handed over at the end of their steps, and nothing is claimed beside it', async () => {
    const [lone, other, later] = [suspect(3), queuedRun(), queuedRun()]
    const { claimer, gate, changes, told, logged, fateOf, stop } = engineBench(8, [other])
    const call = await gate.called(other.id)
    claimer.suspects.push(lone)
    await second()
    claimer.queue.push(later)
    await second()
    expect([gate.calls.all.length, told]).toEqual([1, ['full']])
    expect(logged).toEqual(['warn a run must be alone; others are handed over'])
    call.succeed()
    await gate.called(lone.id)
    expect(fateOf(other)).toEqual(['hand_over'])
    // It is noted that the run is alone before its code is executed.
    const [noted, ...rest] = changes.all.filter(({ runId }) => runId === lone.id)
    expect(noted).toMatchObject({ trigger: 'progress', isAlone: true, epoch: lone.epoch })
    expect(rest.some(({ isAlone }) => isAlone)).toBe(false)
    await second()
    expect(gate.calls.all).toHaveLength(2)
    await stop()
  })

  test('has company again once it has finished a step', async () => {
    const [lone, later] = [suspect(3), queuedRun()]
    const { claimer, gate, told, stop } = engineBench(8, [], ({ suspects }) => suspects.push(lone))
    const call = await gate.called(lone.id)
    claimer.queue.push(later)
    call.succeed()
    await gate.called(later.id)
    await gate.called(lone.id, 2)
    expect(told).toEqual(['full', 'room'])
    await stop()
  })

  test('is given back for a while if the steps of the others take too long', async () => {
    const [lone, other, later] = [suspect(3), queuedRun(), queuedRun()]
    const { claimer, gate, changes, fateOf, settle, stop } = engineBench(8, [other])
    await gate.called(other.id)
    claimer.suspects.push(lone)
    await second()
    claimer.queue.push(later)
    await vi.advanceTimersByTimeAsync(300_000)
    await settle()
    expect(fateOf(lone)).toEqual(['hand_over'])
    expect(changes.all.find(({ runId }) => runId === lone.id)).toMatchObject({ readyInMs: 30_000 })
    await gate.called(later.id)
    await stop()
  })

  test('is given back at once on shutdown, and not touched if it was lost meanwhile', async () => {
    const [lone, lost, other] = [suspect(3), suspect(3), queuedRun()]
    const { engine, claimer, gate, changes, stop } = engineBench(8, [other])
    await gate.called(other.id)
    claimer.suspects.push(lost, lone)
    await second()
    engine.onCommitted([{ runId: lost.id, customerId: 'acme', state: 'cancelled', claimable: false, events: [] }])
    await second()
    await stop()
    const fates = changes.all.filter(({ runId }) => runId === lone.id || runId === lost.id)
    expect(fates.map(({ runId, trigger, readyInMs }) => [runId, trigger, readyInMs])).toEqual([
      [lone.id, 'hand_over', 0],
    ])
  })
})
