import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type FakeOptions,
  failure,
  fakeExecution,
  fakeModel,
  promptOf,
  reply,
} from '../../../test/support/fake-execution.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { ModelOutcome } from '../../models/port/model.ts'
import { Aborted } from '../context/abort-reason.ts'
import { defaultAgentLimits } from '../context/agent-limits.ts'
import { judgeStep, verdictByRule } from './judge-step.ts'
import type { TaskSucceeded } from './task-end.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const oneStep = { goal: 'Pay', steps: [{ id: 'a', instruction: 'check it' }] }
const twoSteps = { steps: [...oneStep.steps, { id: 'b', instruction: 'pay it' }] }

function bench(outcomes: readonly ModelOutcome[], options: FakeOptions = {}) {
  const judge = fakeModel('test/judge', ...outcomes)
  const execution = fakeExecution({ plan: oneStep, ...options, models: { judge: [judge] } })
  const [task] = execution.tasks() as readonly [Task]
  const end: TaskSucceeded = {
    kind: 'succeeded',
    task,
    content: 'It is 391.',
    output: { price: 391 },
    redacted: false,
    rest: '',
    usage: [],
    evidence: {
      instruction: 'Check the invoice',
      calls: [{ name: 'fetch', input: { url: 'x' }, outcome: 'timeout', result: 'too slow' }],
      keptTurns: 1,
    },
  }
  return { ...execution, judge, judged: () => judgeStep(execution.context, end) }
}

const says = (value: object) => reply(JSON.stringify(value))
const verdict = (part: object) => ({ kind: 'verdict', verdict: expect.objectContaining(part) })

test('the judge sees the step that just ended, before it is journaled', async () => {
  const { judged, judge } = bench([says({ decision: 'stop', reason: 'done' })])
  await judged()
  for (const shown of ['Check the invoice', 'It is 391.', '{"price":391}', 'fetch({"url":"x"}) timeout: "too slow"'])
    expect(promptOf(judge.requests[0])).toContain(shown)
  expect(judge.requests[0]).toMatchObject({
    role: 'judge',
    tools: [],
    outputSchema: { required: ['decision', 'reason'] },
  })
})

describe('the judge’s decision is followed, and kept word for word', () => {
  test.each([
    ['continue', twoSteps, 'continue', 'step_done'],
    ['stop', twoSteps, 'stop', 'all_done'],
    ['replan', oneStep, 'replan', 'replan_requested'],
    ['continue', oneStep, 'stop', 'nothing_left'],
    ['continue', undefined, 'stop', 'nothing_left'],
  ] as const)('case %#: it says %s', async (decision, plan, done, reasonCode) => {
    const { judged } = bench([says({ decision, reason: 'Because.' })], plan ? { plan } : { plan: undefined as never })
    const said = { decision, reason: 'Because.' }
    expect(await judged()).toEqual(
      verdict({ decision: done, reasonCode, said, reason: 'Because.', usage: [expect.anything()] }),
    )
  })

  test('await_input keeps its question', async () => {
    const { judged } = bench([says({ decision: 'await_input', reason: 'unclear', prompt: 'Which?', extra: 1 })])
    const question = { prompt: 'Which?', inputKind: null, reasonCode: 'input_required' }
    expect(await judged()).toEqual(
      verdict({ decision: 'await_input', reasonCode: 'input_required', question, isLast: true }),
    )
  })

  test('an unreached goal is a failure only when the judge stops', async () => {
    const bad = { goal_reached: false, reason: 'The sum is wrong.' }
    expect(await bench([says({ decision: 'stop', ...bad })]).judged()).toEqual(verdict({ failure: 'goal_not_reached' }))
    const replan = await bench([says({ decision: 'replan', ...bad })]).judged()
    expect(replan).toMatchObject({ verdict: { decision: 'replan' } })
    expect(replan).not.toHaveProperty('verdict.failure')
  })
})

describe('an unusable reply', () => {
  test('gets one repair turn that shows the reply and the problem', async () => {
    const { judged, judge, log } = bench([reply('Looks good!'), says({ decision: 'stop', reason: 'done' })])
    expect(await judged()).toEqual(verdict({ decision: 'stop', said: { decision: 'stop', reason: 'done' } }))
    expect(judge.requests[1]?.messages.slice(2)).toEqual([
      { from: 'assistant', text: 'Looks good!', toolCalls: [] },
      { from: 'user', text: expect.stringContaining('the answer holds no JSON') },
    ])
    expect(judge.requests[1]?.messages[0]).toEqual(judge.requests[0]?.messages[0])
    expect(promptOf(judge.requests[1])).toContain('Check the invoice')
    // The usage of the first reply is not lost.
    expect(log.usage).toMatchObject([{ eventType: 'tokens.consumed', quantity: 10 }])
  })
})

describe('no decision after the repair', () => {
  const unreadable = [reply('Looks good!'), reply('Really!')]
  const withFallback = (judgeFallback: 'rule' | 'ask' | 'fail', options: FakeOptions = {}) =>
    bench(unreadable, { ...options, parts: { limits: { ...defaultAgentLimits, judgeFallback } } }).judged()

  test('rule: the plan continues, and the event says so', async () => {
    const said = { reasonCode: 'judge_unreadable', said: undefined }
    expect(await withFallback('rule', { plan: twoSteps })).toEqual(verdict({ ...said, decision: 'continue' }))
    expect(await withFallback('rule', { plan: oneStep })).toEqual(verdict({ ...said, decision: 'stop' }))
  })

  test('fail: the run fails', async () => {
    const failed = { decision: 'stop', failure: 'judge_unavailable', reasonCode: 'judge_unreadable' }
    expect(await withFallback('fail', { plan: twoSteps })).toEqual(verdict(failed))
  })

  test('ask: a person is asked', async () => {
    const question = {
      reasonCode: 'judge_unreadable',
      inputKind: 'approval',
      prompt: expect.stringContaining('step a'),
    }
    expect(await withFallback('ask')).toEqual(verdict({ decision: 'await_input', question }))
  })
})

describe('a call that fails', () => {
  const never = failure({ retry: 'never', reasonCode: 'provider_error', usage: { total: 3 } })

  test('permanently gives no decision', async () => {
    const usage = [expect.objectContaining({ quantity: 3 })]
    expect(await bench([never]).judged()).toEqual(verdict({ reasonCode: 'judge_unreadable', usage }))
    expect(await bench([reply('?'), never]).judged()).toEqual(verdict({ reasonCode: 'judge_unreadable', usage }))
  })

  test('transiently is parked', async () => {
    const later = failure({ retryAfterMs: 30_000 })
    expect(await bench([later]).judged()).toEqual({ kind: 'parked', dueAtMs: 30_000 })
    expect(await bench([reply('?'), later]).judged()).toMatchObject({ kind: 'parked' })
  })

  test('over the ceiling is reported with its usage', async () => {
    const run = { tokens: 95, tokenLimit: 100 }
    const end = await bench([says({ decision: 'stop', reason: '' })], { run }).judged()
    expect(end).toMatchObject({ kind: 'over_ceiling', usage: [{ quantity: 10 }] })
  })

  test('because of an abort decides nothing', async () => {
    const { judged, controller } = bench([{ kind: 'aborted', text: '', usage: undefined }])
    controller.abort('lease_given_up')
    await expect(judged()).rejects.toThrow(Aborted)
  })
})

test.each([
  [true, 'stop', 'all_done'],
  [false, 'continue', 'step_done'],
])('the rule: last %s is %s', (isLast, decision, reasonCode) => {
  expect(verdictByRule(isLast)).toMatchObject({ decision, reasonCode, said: undefined, isLast })
})
