import type { PlanStep } from '@runwright/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeOptions, fakeExecution, runId } from '../../test/support/fake-execution.ts'
import { gateTool } from '../../test/support/gate-tool.ts'
import { wait } from '../tools/built-in/wait.ts'
import type { Tool } from '../tools/port/tool.ts'
import { RunExecution } from './run-execution.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const step = (id: string, more: object = {}): PlanStep => ({ id, tool: 'gate', input: { id }, ...more })

function bench(steps: readonly PlanStep[], options: FakeOptions = {}) {
  const gate = gateTool()
  const tools = [gate.tool, wait as unknown as Tool<Record<string, unknown>>, ...(options.tools ?? [])]
  const { context, ledger, log, hold } = fakeExecution({ ...options, plan: { steps: [...steps] }, tools })
  const slot = { isWanted: false, giveBack: vi.fn(), stepFinished: vi.fn() }
  const execution = new RunExecution(context.parts, ledger, { ...hold, slot })
  const done = execution.execute()
  const called = (n: number) => gate.called(runId, n)
  const ids = () => gate.calls.all.map(({ input }) => input.id)
  const states = () =>
    log.changes.map(({ trigger, readyInMs }) => [trigger, readyInMs]).filter(([t]) => t !== 'progress')
  return { execution, slot, done, called, ids, log, states }
}

describe('while another customer needs its slot', () => {
  test('a run is handed over at the end of its step, ready at once and without an event', async () => {
    const { slot, done, called, log, states } = bench([step('a'), step('b')])
    const first = await called(1)
    slot.isWanted = true
    first.succeed()
    await done
    expect(states()).toEqual([['hand_over', 0]])
    expect(log.changes.at(-1)).toMatchObject({ trigger: 'hand_over', tokens: 0 })
    expect(log.changes.at(-1)?.usage).toBeUndefined()
    expect(log.changes.at(-1)?.events).toBeUndefined()
    expect(slot.giveBack).toHaveBeenCalled()
  })

  test('a run executes one step at least, so that every claim brings it forward', async () => {
    const gate = gateTool()
    const { context, ledger, hold } = fakeExecution({ plan: { steps: [step('a'), step('b')] }, tools: [gate.tool] })
    const slot = { isWanted: true, giveBack: () => undefined, stepFinished: () => undefined }
    const done = new RunExecution(context.parts, ledger, { ...hold, slot }).execute()
    ;(await gate.called(runId, 1)).succeed()
    await done
    expect(gate.calls.all.map(({ input }) => input.id)).toEqual(['a'])
  })

  test('a run that has only to end does so', async () => {
    const { slot, done, called, states } = bench([step('a')])
    const last = await called(1)
    slot.isWanted = true
    last.succeed()
    await done
    expect(states()).toEqual([['succeed', undefined]])
  })

  test('no further step starts beside those that are executing, and the run is handed over after them', async () => {
    const beside = { depends_on: [] }
    const { slot, done, called, ids, states } = bench([
      step('a', beside),
      step('b', beside),
      step('c', { depends_on: ['a'] }),
    ])
    const [a, b] = [await called(1), await called(2)]
    slot.isWanted = true
    a.succeed()
    await vi.advanceTimersByTimeAsync(10)
    expect([ids(), states()]).toEqual([['a', 'b'], []])
    b.succeed()
    await done
    expect([ids(), states()]).toEqual([['a', 'b'], [['hand_over', 0]]])
  })

  test('a run goes on if others have given back enough slots meanwhile', async () => {
    const beside = { depends_on: [] }
    const { slot, done, called, ids, states } = bench([
      step('a', beside),
      step('b', beside),
      step('c', { depends_on: ['a'] }),
    ])
    const [a, b] = [await called(1), await called(2)]
    slot.isWanted = true
    a.succeed()
    await vi.advanceTimersByTimeAsync(10)
    slot.isWanted = false
    b.succeed()
    ;(await called(3)).succeed()
    await done
    expect([ids(), states()]).toEqual([['a', 'b', 'c'], [['succeed', undefined]]])
  })

  test('a run that waits for a moment is parked for the rest of the wait', async () => {
    const { execution, slot, done, states } = bench([{ id: 'a', tool: 'wait', input: { seconds: 1.5 } }, step('b')])
    await vi.advanceTimersByTimeAsync(500)
    expect(states()).toEqual([])
    slot.isWanted = true
    execution.reconsider()
    await done
    expect(states()).toEqual([['park', expect.closeTo(1_000, -1)]])
    expect(slot.giveBack).toHaveBeenCalled()
  })
})

test('a run that waits for a moment keeps its slot while no other customer needs it', async () => {
  const { execution, done, called, states } = bench([{ id: 'a', tool: 'wait', input: { seconds: 1.5 } }, step('b')])
  await vi.advanceTimersByTimeAsync(500)
  execution.reconsider()
  await vi.advanceTimersByTimeAsync(1_000)
  ;(await called(1)).succeed()
  await done
  expect(states()).toEqual([['succeed', undefined]])
})

describe('after a failed attempt of a step', () => {
  const failing = [step('a', { max_attempts: 100 })]

  test('the pause before the next one is short at first', async () => {
    const { called, ids, states, execution, done } = bench(failing)
    ;(await called(1)).fail()
    await vi.advanceTimersByTimeAsync(100)
    expect(ids()).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(150)
    await called(2)
    expect(states()).toEqual([])
    execution.abort('lost')
    await done
  })

  test('a long pause holds no slot: the run is parked', async () => {
    const journal = Array.from({ length: 9 }, (_, n) => ({ key: `fail:0/a:${n}`, body: { attempt: 1 } }))
    const { called, done, states } = bench(failing, { journal })
    ;(await called(1)).fail()
    await done
    const [[trigger, readyInMs] = []] = states()
    expect(trigger).toBe('park')
    expect(readyInMs).toBeGreaterThanOrEqual(15_000)
    expect(readyInMs).toBeLessThanOrEqual(30_000)
  })

  test('a run that was parked for the pause goes on at once', async () => {
    const journal = Array.from({ length: 9 }, (_, n) => ({ key: `fail:0/a:${n}`, body: { attempt: 1 } }))
    const { called, done, states } = bench(failing, { journal })
    ;(await called(1)).succeed()
    await done
    expect(states()).toEqual([['succeed', undefined]])
  })
})

describe('the timeout of a step', () => {
  test.each([
    ['is the operator’s if the plan has none', undefined, 600_000],
    ['can be shorter in the plan', 5, 5_000],
    ['cannot be longer in the plan than the operator’s', 604_800, 600_000],
  ])('%s', async (_, timeout_seconds, ms) => {
    const { called, done, states, execution } = bench([
      step('a', timeout_seconds === undefined ? {} : { timeout_seconds }),
    ])
    await called(1)
    expect(execution.stepMsLeft).toBe(ms)
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(states()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(states()[0]?.[0]).toBe('stall')
  })
})

test('a run that is handed over lets its step end first', async () => {
  const { execution, done, called, ids, states } = bench([step('a'), step('b')])
  const first = await called(1)
  execution.handOver()
  expect(states()).toEqual([])
  first.succeed()
  await done
  expect([ids(), states()]).toEqual([['a'], [['hand_over', 0]]])
})

test('a run that sleeps is handed over at once', async () => {
  const { execution, done, states } = bench([{ id: 'a', tool: 'wait', input: { seconds: 1.5 } }])
  await vi.advanceTimersByTimeAsync(500)
  execution.handOver()
  await done
  expect(states()).toEqual([['hand_over', 0]])
})
