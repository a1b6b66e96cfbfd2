import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type FakeOptions, fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import { takeTurns } from '../../../test/support/take-turns.ts'
import { type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import { makeCalls } from './make-calls.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const call = (index: number, name: string, input: unknown = {}): JournaledCall => ({
  callId: `c${index}`,
  modelCallId: `m${index}`,
  name,
  input,
})

function make(calls: readonly JournaledCall[], options: FakeOptions) {
  const { context, ledger, log } = fakeExecution(options)
  const begunBefore = new Set(ledger.progress.turns.startedCalls.keys())
  const step = context.stepOf('0/a')
  const end = makeCalls(context, calls, {
    step,
    allowed: undefined,
    begunBefore,
    stepMsLeft: () => 600_000,
    needsTools: false,
  })
  return { end, log }
}

const settled = () => takeTurns(10)

test('without calls there are no results', async () => {
  expect(await make([], {}).end).toEqual({ kind: 'results', results: [] })
})

test('read calls run in parallel, and their results are in the order of the calls', async () => {
  const ends: ((value: unknown) => void)[] = []
  const read = fakeTool('read', { run: () => new Promise((resolve) => ends.push(resolve)) })
  const { end } = make([call(0, 'read'), call(1, 'read')], { tools: [read] })
  await settled()
  expect(ends).toHaveLength(2)
  ends[1]?.('second')
  await settled()
  ends[0]?.('first')
  expect(await end).toMatchObject({ kind: 'results', results: [{ output: 'first' }, { output: 'second' }] })
})

test('once calls run one after another', async () => {
  const ends: ((value: unknown) => void)[] = []
  const pay = fakeTool('pay', { effect: 'once', run: () => new Promise((resolve) => ends.push(resolve)) })
  const { end } = make([call(0, 'pay', { n: 1 }), call(1, 'pay', { n: 2 })], { tools: [pay] })
  await settled()
  expect(ends).toHaveLength(1)
  ends[0]?.('first')
  await settled()
  expect(ends).toHaveLength(2)
  ends[1]?.('second')
  expect(await end).toMatchObject({ results: [{ output: 'first' }, { output: 'second' }] })
})

test('a once call that a reply repeats is made once, and the model is told', async () => {
  const pay = fakeTool('pay', { effect: 'once' })
  const { end, log } = make([call(0, 'pay', { n: 1 }), call(1, 'pay', { n: 1 })], { tools: [pay] })
  expect(await end).toMatchObject({
    results: [{ outcome: 'succeeded' }, { outcome: 'failed', message: expect.stringContaining('repeats the call m0') }],
  })
  expect(pay.calls).toHaveLength(1)
  expect(log.journal.map(({ key }) => key)).toEqual(['call:c0', 'result:c0', 'call:c1', 'result:c1'])
})

test('the end of a repeated call is written once, also if the execution ends before the next turn', async () => {
  const pay = fakeTool('pay', { effect: 'once' })
  const calls = [call(0, 'pay', { n: 1 }), call(1, 'pay', { n: 1 })]
  const before = make(calls, { tools: [pay] })
  const { results } = (await before.end) as { results: readonly unknown[] }
  const after = make(calls, { tools: [pay], journal: before.log.journal })
  expect(await after.end).toEqual({ kind: 'results', results })
  expect(after.log.changes).toEqual([])
  expect(pay.calls).toHaveLength(1)
})

describe('unfinished calls', () => {
  const asks = fakeTool('asks', { policy: 'ask', effect: 'once' })
  const wait = fakeTool('wait', {
    input: z.looseObject({ seconds: z.number() }),
    sleepMs: ({ seconds }) => Number(seconds) * 1000,
  })

  test('a person is asked; the other calls are made, and keep their results', async () => {
    const read = fakeTool('read')
    const { end, log } = make([call(0, 'asks'), call(1, 'read')], { tools: [asks, read] })
    expect(await end).toMatchObject({ kind: 'person_asked', wait: { reasonCode: 'approval_required' } })
    expect([asks.calls.length, read.calls.length]).toEqual([0, 1])
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1', 'result:c1'])
  })

  test('of several sleeping calls, the first one due counts', async () => {
    const journal = [journalEntry('sleep', 'c0', { sinceMs: 0, dueAtMs: 90_000 })]
    const sleeping = [call(0, 'wait', { seconds: 90 }), call(1, 'wait', { seconds: 30 })]
    const end = await make(sleeping, { tools: [wait], journal }).end
    expect(end).toEqual({ kind: 'parked', dueAtMs: 30_000 })
  })

  test('a question to a person comes before any sleep', async () => {
    const asksToRead = fakeTool('asks', { policy: 'ask' })
    const calls = [call(0, 'wait', { seconds: 90 }), call(1, 'asks')]
    expect(await make(calls, { tools: [wait, asksToRead] }).end).toMatchObject({ kind: 'person_asked' })
  })
})
