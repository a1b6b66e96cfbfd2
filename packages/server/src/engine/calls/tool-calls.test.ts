import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type FakeOptions, fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import { type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import { ToolTimeout, withoutEffect } from '../../tools/port/tool.ts'
import { Aborted } from '../context/abort-reason.ts'
import type { CallOptions } from './call-end.ts'
import { makeCall, startOf } from './tool-calls.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const call = (name: string, input: unknown = {}): JournaledCall => ({ callId: 'c1', modelCallId: 'm1', name, input })

function bench(options: FakeOptions = {}) {
  const execution = fakeExecution(options)
  const callOptions = (part: Partial<CallOptions> = {}): CallOptions => ({
    step: execution.context.stepOf('0/a'),
    allowed: undefined,
    begunBefore: new Set(execution.ledger.progress.turns.startedCalls.keys()),
    stepMsLeft: () => 600_000,
    needsTools: false,
    ...part,
  })
  const make = (made: JournaledCall, part?: Partial<CallOptions>) =>
    makeCall(execution.context, made, callOptions(part))
  return { ...execution, callOptions, make }
}

const begun = (effect: 'read' | 'idempotent' | 'once') => journalEntry('call', 'c1', { name: 'pay', effect })

describe('a call', () => {
  test('is journaled before the tool runs, and its result is journaled with its events and usage', async () => {
    const seen: number[] = []
    const pay = fakeTool('pay', {
      effect: 'once',
      run: ({ n }) => {
        seen.push(log.changes.length)
        return { paid: n }
      },
    })
    const { make, log } = bench({ tools: [pay] })
    expect(await make(call('pay', { n: 4 }))).toEqual({ outcome: 'succeeded', output: { paid: 4 } })
    expect(seen).toEqual([1])
    expect(log.journal).toEqual([
      journalEntry('call', 'c1', { name: 'pay', effect: 'once', sendByMs: 5_000, endsByMs: 10_000 }),
      journalEntry('result', 'c1', { outcome: 'succeeded', output: { paid: 4 } }),
    ])
    expect(log.events.map(({ type, payload }) => payload.kind ?? type)).toEqual([
      'tool_call_start',
      'tool_call_done',
      'run.tool.invoked',
    ])
    expect(log.events[2]?.payload).toMatchObject({ tool_call_id: 'c1', tool_name: 'pay', tool_outcome: 'succeeded' })
    expect(log.usage).toEqual([{ key: 'tool:c1', eventType: 'tool.invoked', quantity: 1 }])
  })

  test('gets the caller, and one key for all its tries', async () => {
    const tool = fakeTool('read')
    const { make } = bench({ tools: [tool], run: { workspaceId: 'w', subjectId: 's' } })
    await make(call('read'))
    expect(tool.calls[0]?.context).toMatchObject({
      customerId: 'acme',
      workspaceId: 'w',
      subjectId: 's',
      toolCallId: 'c1',
      idempotencyKey: 'c1',
    })
  })

  test('that has a result is not made again, and writes nothing', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const result = { outcome: 'failed' as const, message: 'no money' }
    const { make, log } = bench({ tools: [tool], journal: [begun('once'), journalEntry('result', 'c1', result)] })
    expect(await make(call('pay'))).toEqual(result)
    expect([tool.calls, log.changes]).toEqual([[], []])
  })

  test.each([
    [() => Promise.reject(new Error('no money')), { outcome: 'failed', message: 'no money' }],
    [() => Promise.reject(new ToolTimeout('too slow')), { outcome: 'timeout', message: 'too slow' }],
  ])('case %#: what goes wrong is a result', async (run, result) => {
    for (const effect of ['read', 'idempotent'] as const) {
      const { make, log } = bench({ tools: [fakeTool('pay', { run, effect })] })
      expect(await make(call('pay'))).toEqual(result)
      expect(log.journal[1]).toEqual({ key: 'result:c1', body: result })
    }
  })

  test('that the step may not make is denied, and the tool is not called', async () => {
    const tool = fakeTool('pay')
    const { make, log } = bench({ tools: [tool] })
    expect(await make(call('pay'), { allowed: new Set(['other']) })).toMatchObject({ outcome: 'policy_denied' })
    expect(tool.calls).toEqual([])
    expect(log.events.at(-1)?.payload).toMatchObject({ policy_reason_code: 'tool_not_allowed' })
  })

  test('that the policy denies starts and ends without the tool', async () => {
    const tool = fakeTool('pay', { policy: 'deny' })
    const { make, log } = bench({ tools: [tool] })
    expect(await make(call('pay'))).toMatchObject({ outcome: 'policy_denied' })
    expect([tool.calls.length, log.journal.map(({ key }) => key)]).toEqual([0, ['call:c1', 'result:c1']])
    expect(log.events.at(-1)?.payload).toMatchObject({ policy_reason_code: 'denied_by_policy' })
    // A worker that finds it started would make it.
    expect(log.changes).toHaveLength(1)
  })

  test('that needs approval writes nothing until it is approved', async () => {
    const tool = fakeTool('pay', { policy: 'ask' })
    const { make, log } = bench({ tools: [tool] })
    expect(await make(call('pay'))).toMatchObject({
      outcome: 'person_asked',
      wait: { reasonCode: 'approval_required' },
    })
    expect([tool.calls, log.changes]).toEqual([[], []])
  })

  test('that is aborted has no result', async () => {
    const tool = fakeTool('pay', {
      run: () => {
        controller.abort('lost')
        return new Promise(() => undefined)
      },
    })
    const { make, controller, log } = bench({ tools: [tool] })
    await expect(make(call('pay'))).rejects.toThrow(Aborted)
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1'])
  })
})

describe('a call that started in an earlier execution of the run', () => {
  test.each(['read', 'idempotent'] as const)('is made again if it is %s, under the same id', async (effect) => {
    const tool = fakeTool('pay', { effect })
    const { make, log } = bench({ tools: [tool], journal: [begun(effect)] })
    expect(await make(call('pay'))).toMatchObject({ outcome: 'succeeded' })
    expect(tool.calls.map(({ context }) => context.toolCallId)).toEqual(['c1'])
    expect(log.journal.map(({ key }) => key)).toEqual(['result:c1'])
  })

  test('that started in this execution is made', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const { make, context, callOptions, ledger } = bench({ tools: [tool] })
    await ledger.apply((await startOf(context, [call('pay')], callOptions())).change)
    expect(await make(call('pay'), { begunBefore: new Set() })).toMatchObject({ outcome: 'succeeded' })
  })

  const unknown = { tools: [fakeTool('pay', { effect: 'once' })], journal: [begun('once')] }

  test('is not made if it is once: a person is asked whether it took place', async () => {
    const { make, log } = bench(unknown)
    expect(await make(call('pay'))).toEqual({
      outcome: 'person_asked',
      wait: {
        key: 'outcome:c1:1',
        reasonCode: 'tool_outcome_unknown',
        inputKind: 'approval',
        prompt: expect.stringContaining('whether this call of pay took effect'),
        call: {
          tool: 'pay',
          arguments: {},
          argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          why: 'The service stopped during this call, so its outcome is not known.',
          hasRead: [],
          callId: 'c1',
          idempotencyKey: 'c1',
          schema: expect.objectContaining({ type: 'object' }),
        },
      },
    })
    expect(log.changes).toEqual([])
  })

  test('gets the result that the person submits', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const answers = [{ action: 'submit_input' as const, payload: { paid: 4 }, waitKey: 'outcome:c1:1' }]
    const { make, log } = bench({ ...unknown, tools: [tool], answers })
    expect(await make(call('pay'))).toEqual({ outcome: 'succeeded', output: { paid: 4 }, byPerson: true })
    expect([tool.calls.length, log.journal.map(({ key }) => key)]).toEqual([0, ['result:c1']])
  })

  test('failed if the person says so', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const said = { payload: null, call: { error: 'Card declined.' } }
    const answers = [{ action: 'submit_input' as const, ...said, waitKey: 'outcome:c1:1' }]
    const { make } = bench({ ...unknown, tools: [tool], answers })
    expect(await make(call('pay'))).toEqual({ outcome: 'failed', message: 'Card declined.', byPerson: true })
    expect(tool.calls).toEqual([])
  })

  test('is made once more after an approval, and the journal counts that', async () => {
    const tool = fakeTool('pay', { effect: 'once' })
    const answers = [{ action: 'approve' as const, payload: null, waitKey: 'outcome:c1:1' }]
    const { make, log } = bench({ ...unknown, tools: [tool], answers })
    expect(await make(call('pay'))).toMatchObject({ outcome: 'succeeded' })
    expect([tool.calls.length, log.journal.map(({ key }) => key)]).toEqual([1, ['call:c1#2', 'result:c1']])
  })

  test('needs another answer if it is interrupted again', async () => {
    const answers = [{ action: 'approve' as const, payload: null, waitKey: 'outcome:c1:1' }]
    const twice = journalEntry('call', 'c1#2', { name: 'pay', effect: 'once' })
    const { make } = bench({ ...unknown, journal: [begun('once'), twice], answers })
    expect(await make(call('pay'))).toMatchObject({ outcome: 'person_asked', wait: { key: 'outcome:c1:2' } })
  })
})

describe('a once call that fails', () => {
  const failing = (error: Error) => [fakeTool('pay', { effect: 'once', run: () => Promise.reject(error) })]
  const ended = journalEntry('try', 'c1#1', { outcome: 'failed', message: 'no money' })
  const asked = (wait: object) => ({ outcome: 'person_asked', wait })

  test('after it was sent has no result: a person is asked, and told the error', async () => {
    const { make, log } = bench({ tools: failing(new Error('no money')) })
    const why = 'The call failed after it was sent, so its outcome is not known. Its error: no money'
    const prompt = expect.stringContaining('The earlier attempt can no longer be sent.')
    expect(await make(call('pay'))).toMatchObject(asked({ key: 'outcome:c1:1', prompt, call: { why } }))
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1', 'try:c1#1'])
    expect(log.journal[1]).toEqual(ended)
    expect(log.events.map(({ payload }) => payload.kind)).toEqual(['tool_call_start'])
  })

  test('because it timed out may still be running', async () => {
    const { make } = bench({ tools: failing(new ToolTimeout('too slow')) })
    const prompt = expect.stringContaining('The earlier attempt may still be running.')
    expect(await make(call('pay'))).toMatchObject(asked({ prompt }))
  })

  test('without an effect has a result', async () => {
    const { make, log } = bench({ tools: failing(withoutEffect(new Error('no money'))) })
    expect(await make(call('pay'))).toEqual({ outcome: 'failed', message: 'no money' })
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1', 'result:c1'])
  })

  test('is asked about at once by the next execution, too', async () => {
    const started = journalEntry('call', 'c1', { name: 'pay', effect: 'once', sendByMs: 20_000, endsByMs: 90_000 })
    const { make } = bench({ tools: failing(new Error('again')), journal: [started, ended] })
    expect(await make(call('pay'))).toMatchObject(asked({ key: 'outcome:c1:1' }))
  })

  test('again after an approval is asked about again, with the same key', async () => {
    const tools = failing(new Error('again'))
    const answers = [{ action: 'approve' as const, payload: null, waitKey: 'outcome:c1:1' }]
    const { make, log } = bench({ tools, journal: [begun('once'), ended], answers })
    const why = expect.stringContaining('Its error: again')
    expect(await make(call('pay'))).toMatchObject(asked({ key: 'outcome:c1:2', call: { why } }))
    expect(log.journal.map(({ key }) => key)).toEqual(['call:c1#2', 'try:c1#2'])
    expect(tools[0]?.calls.map(({ context }) => context.idempotencyKey)).toEqual(['c1'])
  })
})

test('a call can have the idempotency key of an earlier one', async () => {
  const tool = fakeTool('pay')
  await bench({ tools: [tool] }).make({ ...call('pay'), key: 'c0' })
  expect(tool.calls[0]?.context).toMatchObject({ toolCallId: 'c1', idempotencyKey: 'c0' })
})

describe('a call that only waits', () => {
  const wait = () =>
    fakeTool('wait', {
      input: z.looseObject({ seconds: z.number() }),
      sleepMs: ({ seconds }) => Number(seconds) * 1000,
    })
  const asleep = (dueAtMs: number, exceedsStep?: true) => [
    journalEntry('call', 'c1', { name: 'wait', effect: 'read' }),
    journalEntry('sleep', 'c1', { sinceMs: 1_000, dueAtMs, ...(exceedsStep && { exceedsStep }) }),
  ]

  test('sleeps, and the journal says until when', async () => {
    const tool = wait()
    const { make, log } = bench({ tools: [tool] })
    expect(await make(call('wait', { seconds: 10 }))).toEqual({ outcome: 'sleeps', dueAtMs: 10_000 })
    expect(log.journal.at(-1)).toEqual(journalEntry('sleep', 'c1', { sinceMs: 0, dueAtMs: 10_000 }))
    expect(tool.calls).toEqual([])
  })

  test('for a moment is made like any other', async () => {
    const tool = wait()
    expect(await bench({ tools: [tool] }).make(call('wait', { seconds: 0.1 }))).toEqual({
      outcome: 'succeeded',
      output: 'ok',
    })
    expect(tool.calls).toHaveLength(1)
  })

  test('with invalid input is refused by the tool’s own check', async () => {
    const tool = wait()
    expect(await bench({ tools: [tool] }).make(call('wait', { seconds: 'ten' }))).toMatchObject({ outcome: 'failed' })
  })

  test('continues to sleep when it is woken too early', async () => {
    const { make, log } = bench({ tools: [wait()], journal: asleep(10_000) })
    expect(await make(call('wait', { seconds: 9 }))).toEqual({ outcome: 'sleeps', dueAtMs: 10_000 })
    expect(log.changes).toEqual([])
  })

  test('returns its input when the time has come', async () => {
    const tool = wait()
    const { make, log } = bench({ tools: [tool], journal: asleep(10_000), run: { remainingMs: 3_590_000 } })
    expect(await make(call('wait', { seconds: 9 }))).toEqual({ outcome: 'succeeded', output: { seconds: 9 } })
    expect(tool.calls).toEqual([])
    expect(log.events.at(-1)?.payload).toMatchObject({ tool_outcome: 'succeeded', duration_ms: 9_000 })
  })

  test('for longer than its step may take sleeps until the step times out', async () => {
    const first = bench({ tools: [wait()] })
    const asked = call('wait', { seconds: 100 })
    expect(await first.make(asked, { stepMsLeft: () => 7_000 })).toEqual({ outcome: 'sleeps', dueAtMs: 7_000 })
    expect(first.log.journal.at(-1)?.body).toMatchObject({ dueAtMs: 7_000, exceedsStep: true })
    const later = bench({ tools: [wait()], journal: asleep(7_000, true), run: { remainingMs: 3_593_000 } })
    await expect(later.make(asked)).rejects.toThrow(Aborted)
    expect(later.controller.signal.reason).toBe('step_timeout')
  })
})

describe('announcing calls', () => {
  const calls = ['free', 'asks', 'never', 'begun'].map((name, index) => ({ ...call(name), callId: `c${index}` }))
  const tools = [
    fakeTool('free'),
    fakeTool('asks', { policy: 'ask' }),
    fakeTool('never', { policy: 'deny' }),
    fakeTool('begun'),
  ]

  test('covers those that can start at once and have not started', async () => {
    const journal = [journalEntry('call', 'c3', { name: 'begun', effect: 'read' })]
    const { context, callOptions, log } = bench({ tools, journal })
    const { change: start } = await startOf(context, calls, callOptions())
    expect(start.journal).toEqual([journalEntry('call', 'c0', { name: 'free', effect: 'read' })])
    expect(start.events.map(({ payload }) => payload.tool_name)).toEqual(['free'])
    expect(log.changes).toEqual([])
  })

  test('journals what a call brings into the run', async () => {
    const exposed = fakeTool('mail', { exposureOf: () => ({ takesUntrusted: true }) })
    const { context, callOptions } = bench({ tools: [exposed] })
    const { change: start } = await startOf(context, [call('mail')], callOptions())
    expect(start.journal[0]?.body).toEqual({ name: 'mail', effect: 'read', touches: ['untrusted'] })
  })
})
