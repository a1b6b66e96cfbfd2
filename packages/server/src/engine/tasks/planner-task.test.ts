import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type FakeOptions,
  failure,
  fakeExecution,
  fakeModel,
  fakeTool,
  promptOf,
  reply,
} from '../../../test/support/fake-execution.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { ModelOutcome } from '../../models/port/model.ts'
import { Aborted } from '../context/abort-reason.ts'
import { type PlanMove, planNext } from './planner-task.ts'
import { goOn, runOver } from './settled.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function bench(outcomes: readonly ModelOutcome[], options: FakeOptions = {}) {
  const planner = fakeModel('test/planner', ...outcomes)
  const execution = fakeExecution({ startsWithPlanner: true, ...options, models: { planner: [planner] } })
  const move = execution.ledger.progress.next(new Set()) as PlanMove
  return { ...execution, planner, plan: () => planNext(execution.context, move) }
}

const planReply = reply('{"goal":"Pay","steps":["check it","pay it"]}')

test('its plan becomes the current one, with the events of a step', async () => {
  const { plan, log, ledger } = bench([planReply])
  expect(await plan()).toBe(goOn)
  expect(log.changes).toHaveLength(1)
  expect(log.changes[0]).toMatchObject({ trigger: 'progress', resetsRecoveries: true, tokens: 10 })
  expect(log.events.map(({ type }) => type)).toEqual(['step.done', 'run.coordination.decision'])
  expect(log.decisions).toEqual(['planner continue plan_ready'])
  expect(log.journal.map(({ key }) => key)).toEqual(['done:1/planner', 'plan:1'])
  expect(log.usage.map(({ eventType }) => eventType)).toEqual(['tokens.consumed', 'task.completed'])
  expect(ledger.progress.next(new Set())).toMatchObject({
    kind: 'work',
    tasks: [{ key: '1/step_1', step: { instruction: 'check it' } }],
  })
  expect(ledger.progress.plan?.goal).toBe('Pay')
})

describe('the planner is asked', () => {
  test('with the tools that the policy allows, one line each', async () => {
    const tools = [fakeTool('calculator'), fakeTool('never', { policy: 'deny' })]
    const { plan, planner } = bench([planReply], { tools })
    await plan()
    expect(promptOf(planner.requests[0])).toContain('Tools:\n- calculator(): Is calculator.')
    expect(promptOf(planner.requests[0])).not.toContain('- never')
    expect(planner.requests[0]).toMatchObject({ role: 'planner', tools: [], outputSchema: { required: ['steps'] } })
  })

  test('with what memory holds about the task', async () => {
    const about: string[] = []
    const recall = async ({ text }: { text: string }) => {
      about.push(text)
      return [{ kind: 'fact', title: 'Limit', content: 'It is 1,000.' }]
    }
    const { plan, planner } = bench([planReply], { parts: { recall } })
    await plan()
    expect(about).toEqual(['{"question":"How much?"}'])
    expect(promptOf(planner.requests[0])).toContain('It is 1,000.')
  })

  test('to replan, with the reason and the finished steps', async () => {
    const done = {
      stepId: 'a',
      kind: 'agent',
      content: 'It is fine.',
      output: null,
      redacted: false,
      order: 0,
    } as const
    const journal = [journalEntry('done', '0/a', done), journalEntry('replan', '1', { reason: 'The shop is closed.' })]
    const { plan, planner, log } = bench([planReply], { startsWithPlanner: false, journal })
    await plan()
    expect(promptOf(planner.requests[0])).toContain('Why: The shop is closed.')
    expect(promptOf(planner.requests[0])).toContain('It is fine.')
    expect(log.journal.map(({ key }) => key)).toContain('plan:1')
  })

  test('for the first plan without mentioning a replan', async () => {
    const { plan, planner } = bench([planReply])
    await plan()
    expect(promptOf(planner.requests[0])).not.toContain('Plan again.')
  })
})

describe('the limit of plans', () => {
  const replans = (count: number) =>
    Array.from({ length: count }, (_, index) => journalEntry('replan', String(index + 1), {}))

  test('holds for waits that nobody answers: the run fails, and the planner is not asked', async () => {
    const { plan, planner, log } = bench([planReply], { startsWithPlanner: false, journal: replans(4) })
    expect(await plan()).toBe(runOver)
    expect(log.events.at(-1)).toMatchObject({ type: 'run.worker.failed', payload: { reason_code: 'replan_limit' } })
    expect(planner.requests).toEqual([])
  })

  test('allows as many as it says, and one more after a retry', async () => {
    expect(await bench([planReply], { startsWithPlanner: false, journal: replans(3) }).plan()).toBe(goOn)
    const retried = [...replans(4), journalEntry('fail', '4/planner:0', { attempt: 1 })]
    expect(await bench([planReply], { startsWithPlanner: false, journal: retried }).plan()).toBe(goOn)
  })
})

describe('an unusable reply', () => {
  const bad = reply('{"steps":[{"tool":"teleport","input":{}}]}')

  test('gets one repair turn that shows the reply and the problem', async () => {
    const { plan, planner, log } = bench([bad, planReply])
    expect(await plan()).toBe(goOn)
    expect(planner.requests[1]?.messages.slice(2)).toEqual([
      { from: 'assistant', text: bad.text, toolCalls: [] },
      { from: 'user', text: expect.stringContaining('teleport') },
    ])
    expect(planner.requests[1]?.messages.slice(0, 2)).toEqual(planner.requests[0]?.messages)
    expect(log.decisions).toEqual(['planner continue plan_ready'])
    expect(log.changes.map(({ tokens }) => tokens)).toEqual([10, 10])
  })

  test.each([
    ['does not compile', { type: 'nonsense' }, 'output_schema cannot be used: schema is invalid'],
    ['is too large', { items: { pattern: 'a{0,1000}'.repeat(400) } }, 'output_schema.items.pattern is too large'],
  ])('is a plan with a schema that %s', async (_, output_schema, problem) => {
    const planWith = reply(JSON.stringify({ steps: [{ id: 'a', instruction: 'Pay it', output_schema }] }))
    const { plan, planner, log } = bench([planWith, planReply])
    expect(await plan()).toBe(goOn)
    expect(promptOf(planner.requests[1])).toContain(`plan.steps[0] ("a"): ${problem}`)
    expect(log.decisions).toEqual(['planner continue plan_ready'])
  })

  test('twice: the run continues without a plan', async () => {
    const { plan, log, ledger, logged } = bench([bad, reply('I cannot.')])
    expect(await plan()).toBe(goOn)
    expect(log.decisions).toEqual(['planner continue plan_unusable'])
    expect(log.journal.map(({ key }) => key)).toEqual(['done:1/planner', 'unplanned:1'])
    expect(ledger.progress.next(new Set())).toMatchObject({ kind: 'work', tasks: [{ key: '1/#0', planned: false }] })
    expect(logged).toEqual(['warn the planner made no usable plan'])
    expect(log.changes.map(({ tokens }) => tokens)).toEqual([10, 10])
  })
})

describe('a call that fails', () => {
  test('permanently fails the run', async () => {
    const { plan, log } = bench([failure({ retry: 'never', reasonCode: 'provider_auth', message: 'Bad key.' })])
    expect(await plan()).toBe(runOver)
    expect(log.changes[0]?.trigger).toBe('fail')
    expect(log.events[0]).toMatchObject({
      type: 'step.done',
      payload: { outcome: 'fail_run', reason_code: 'provider_auth', provider_error_message: 'Bad key.' },
    })
  })

  test('and asks for another attempt of the step gets one', async () => {
    const { plan, log, ledger } = bench([failure({ retry: 'step', reasonCode: 'provider_error' })])
    expect(await plan()).toBe(goOn)
    expect(log.decisions).toEqual(['judge continue retry_step'])
    expect(ledger.progress.failuresOf('1/planner').inAttempt).toBe(1)
    expect(ledger.progress.next(new Set())).toMatchObject({ kind: 'plan' })
  })

  test('transiently is parked', async () => {
    const { plan, log } = bench([failure({ retryAfterMs: 30_000 })])
    expect(await plan()).toMatchObject({ kind: 'parked', dueAtMs: 30_000 })
    expect(log.decisions).toEqual(['planner continue provider_retry'])
    expect(log.journal.map(({ key }) => key)).toEqual(['retry:1/planner:0:1001'])
  })

  test('over the ceiling ends the run, and its tokens are metered', async () => {
    const { plan, log } = bench([planReply], { run: { tokens: 95, tokenLimit: 100 } })
    expect(await plan()).toBe(runOver)
    expect(log.changes).toMatchObject([{ trigger: 'exceed_limit', tokens: 10 }])
  })

  test('because of an abort decides nothing', async () => {
    const { plan, log, controller } = bench([{ kind: 'aborted', text: '', usage: undefined }])
    controller.abort('hand_over')
    await expect(plan()).rejects.toThrow(Aborted)
    expect(log.changes).toEqual([])
  })
})
