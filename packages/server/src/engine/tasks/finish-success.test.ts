import type { Plan } from '@runwright/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type FakeOptions,
  failure,
  fakeExecution,
  fakeModel,
  fakeTool,
  reply,
} from '../../../test/support/fake-execution.ts'
import { prompts } from '../../agents/load-prompt.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { Model, ModelOutcome } from '../../models/port/model.ts'
import { defaultAgentLimits } from '../context/agent-limits.ts'
import { finishSuccess } from './finish-success.ts'
import { goOn, runOver } from './settled.ts'
import type { TaskSucceeded } from './task-end.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const oneStep = { steps: [{ id: 'a', instruction: 'check it' }] }
const twoSteps = { steps: [...oneStep.steps, { id: 'b', instruction: 'pay it', depends_on: [] }] }

/** The same as the planner's plan. */
const byPlanner = ({ steps }: Pick<Plan, 'steps'>) => ({
  startsWithPlanner: true,
  journal: [journalEntry('plan', '1', { version: 'v2', steps })],
})

const says = (value: object) => reply(JSON.stringify({ reason: 'Because.', ...value }), { usage: { total: 5 } })

interface Given extends FakeOptions {
  readonly end?: Partial<TaskSucceeded>
  readonly beside?: readonly string[]
  readonly judge?: Model
}

async function settle(said: ModelOutcome | undefined, { end, beside = [], judge, ...options }: Given = {}) {
  const models = { judge: [judge ?? fakeModel('test/judge', ...(said ? [said] : []))] }
  const execution = fakeExecution({ ...options, models })
  const [task] = execution.tasks() as readonly [Task]
  const others = { keys: beside, isQuiet: beside.length === 0 }
  const whole: TaskSucceeded = {
    kind: 'succeeded',
    task,
    content: 'It is 391.',
    output: { price: 391 },
    redacted: false,
    rest: '',
    usage: [{ key: 'tokens:1', eventType: 'tokens.consumed', quantity: 7 }],
    evidence: { instruction: 'check it', calls: [], keptTurns: 0 },
    ...end,
  }
  const settled = await finishSuccess({ context: execution.context, end: whole, others })
  return { ...execution, settled, task }
}

const keys = ({ log }: { log: { journal: { key: string }[] } }) => log.journal.map(({ key }) => key)

describe('the end of a step', () => {
  test('is one change: the step, the decision, and all usage', async () => {
    const made = await settle(says({ decision: 'continue' }), { plan: twoSteps })
    expect(made.settled).toBe(goOn)
    expect(made.log.changes).toHaveLength(1)
    expect(made.log.changes[0]).toMatchObject({ trigger: 'progress', resetsRecoveries: true, tokens: 12 })
    expect(made.log.events.map(({ type }) => type)).toEqual(['step.done', 'run.coordination.decision'])
    expect(made.log.journal[0]).toEqual(
      journalEntry('done', '0/a', {
        stepId: 'a',
        kind: 'agent',
        content: 'It is 391.',
        output: { price: 391 },
        redacted: false,
        order: 0,
        judgedBy: { model: 'test/judge', promptVersion: prompts.judge.version },
      }),
    )
    expect(made.log.usage.map(({ quantity }) => quantity)).toEqual([7, 5, 1])
    expect(made.log.decisions).toEqual(['judge continue step_done'])
  })
})

describe('continue', () => {
  test('without a plan: the judge says what the next step has to do', async () => {
    const made = await settle(says({ decision: 'continue', next_instruction: 'Now pay it.' }))
    expect(made.settled).toBe(goOn)
    expect(made.log.journal[1]).toEqual(journalEntry('next', '0/#0', { instruction: 'Now pay it.' }))
    expect(made.tasks()).toMatchObject([{ stepId: '#1', step: { instruction: 'Now pay it.' } }])
  })

  test('with a plan, the plan decides the next step', async () => {
    const made = await settle(says({ decision: 'continue' }), { plan: twoSteps })
    expect(keys(made)).toEqual(['done:0/a'])
    expect(made.tasks()).toMatchObject([{ stepId: 'b', step: { instruction: 'pay it' } }])
  })

  test.each([
    [2, goOn, 'judge continue step_done'],
    [1, runOver, 'judge stop step_limit'],
  ])('without a plan and %i steps allowed: %s', async (maxSteps, settled, decision) => {
    const parts = { limits: { ...defaultAgentLimits, maxSteps } }
    const made = await settle(says({ decision: 'continue', next_instruction: 'On.' }), { parts })
    expect([made.settled, made.log.decisions]).toEqual([settled, [decision]])
    if (maxSteps > 1) return
    expect(made.log.changes[0]?.trigger).toBe('fail')
    expect(made.log.events.at(-1)).toMatchObject({ type: 'run.worker.failed', payload: { reason_code: 'step_limit' } })
    // The judge’s own words are unchanged.
    expect(made.log.events.at(-2)?.payload).toMatchObject({
      judge_decision: { decision: 'continue', reason: 'Because.' },
    })
  })
})

describe('replan', () => {
  test('the planner is due, and gets the reason', async () => {
    const made = await settle(says({ decision: 'replan', reason: 'The shop is closed.' }), { plan: twoSteps })
    expect(made.settled).toBe(goOn)
    expect(made.log.journal[1]).toEqual(journalEntry('replan', '1', { reason: 'The shop is closed.' }))
    expect(made.ledger.progress.next(new Set())).toMatchObject({ kind: 'plan', generation: 1 })
    expect(made.ledger.progress.replanReasons).toEqual(['The shop is closed.'])
  })

  test('the steps that are executing have begun', async () => {
    const made = await settle(says({ decision: 'replan' }), { plan: twoSteps, beside: ['0/b'] })
    expect(made.log.journal[1]).toEqual(journalEntry('replan', '1', { reason: 'Because.', begun: ['0/b'] }))
    const before = made.ledger.progress.planBefore()
    expect([before?.hasBegun('b'), before?.isDone('a'), before?.isDone('b')]).toEqual([true, true, false])
  })

  test('too many times: the run fails with its own reason code', async () => {
    const plans = [1, 2, 3].flatMap((generation) => [
      journalEntry('replan', String(generation), {}),
      journalEntry('plan', String(generation), { version: 'v2', steps: [{ id: 'a', instruction: 'x' }] }),
    ])
    const made = await settle(says({ decision: 'replan' }), { journal: plans })
    expect([made.settled, made.log.decisions]).toEqual([runOver, ['judge stop replan_limit']])
    expect(made.log.changes[0]?.trigger).toBe('fail')
    const allowed = await settle(says({ decision: 'replan' }), { journal: plans.slice(0, 4) })
    expect(allowed.settled).toBe(goOn)
  })
})

describe('await_input', () => {
  const asks = says({ decision: 'await_input', prompt: 'Which?', input_kind: 'payload' })

  test('the run waits for a person, with the question', async () => {
    const made = await settle(asks, { plan: twoSteps })
    expect(made.settled).toBe(runOver)
    expect(made.log.changes[0]).toMatchObject({ trigger: 'await_input', wait: { key: 'after:0/a', prompt: 'Which?' } })
    expect(made.log.events.map(({ type }) => type)).toEqual([
      'step.done',
      'run.coordination.decision',
      'run.awaiting_input',
    ])
    const body = { reasonCode: 'input_required', inputKind: 'payload', prompt: 'Which?', isLast: false } as const
    expect(made.log.journal[1]).toEqual(journalEntry('await', '0/a', body))
  })

  test('while other tasks are executing, the wait begins later, and its decision is announced once', async () => {
    const made = await settle(asks, { plan: twoSteps, beside: ['0/b'] })
    expect(made.settled).toBe(goOn)
    expect(made.log.changes[0]?.trigger).toBe('progress')
    expect(made.log.events.map(({ type }) => type)).toEqual(['step.done', 'run.coordination.decision'])
    expect(made.context.announcedWaits).toEqual(new Set(['after:0/a']))
    expect(made.ledger.progress.next(new Set(['0/b']))).toMatchObject({ wait: { key: 'after:0/a', prompt: 'Which?' } })
  })
})

describe('stop', () => {
  test('the run succeeds, with its result and its episode', async () => {
    const made = await settle(says({ decision: 'stop' }), { plan: oneStep })
    expect(made.settled).toBe(runOver)
    expect(made.log.changes[0]).toMatchObject({
      trigger: 'succeed',
      result: { redacted: false, value: { content: 'It is 391.', output: { price: 391 } } },
      memory: { kind: 'episode', content: expect.stringContaining('It is 391.') },
    })
    expect(made.log.events.at(-1)?.type).toBe('run.worker.succeeded')
    expect(made.log.decisions).toEqual(['judge stop all_done'])
  })

  test('skips the steps that are left in a planner’s plan, and says so', async () => {
    const made = await settle(says({ decision: 'stop' }), byPlanner(twoSteps))
    expect([made.settled, made.log.decisions]).toEqual([runOver, ['judge stop steps_skipped']])
    expect(made.log.changes[0]?.trigger).toBe('succeed')
  })

  test('a client’s plan goes on, in the judge’s own words', async () => {
    const made = await settle(says({ decision: 'stop' }), { plan: twoSteps })
    expect([made.settled, made.log.decisions]).toEqual([goOn, ['judge continue plan_goes_on']])
    expect(made.log.events.at(-1)?.payload).toMatchObject({ judge_decision: { decision: 'stop', reason: 'Because.' } })
    expect(keys(made)).toEqual(['done:0/a'])
    expect(made.tasks().map(({ stepId }) => stepId)).toEqual(['b'])
  })

  test('a planner’s plan goes on to its gate, and skips the rest', async () => {
    const gate = { id: 'g', await_input: {}, depends_on: ['a'] }
    const made = await settle(says({ decision: 'stop' }), byPlanner({ steps: [...twoSteps.steps, gate] }))
    expect([made.settled, made.log.decisions]).toEqual([goOn, ['judge continue plan_goes_on']])
    expect(made.log.journal[1]).toEqual(
      journalEntry('stop', '1/a', { executing: [], required: ['1/g'], generation: 1 }),
    )
    expect(made.ledger.progress.next(new Set())).toMatchObject({ tasks: [], wait: { key: 'gate:1/g' } })
  })

  test('rejected work is not a success', async () => {
    const made = await settle(says({ decision: 'stop', goal_reached: false, reason: 'Wrong sum.' }), { plan: oneStep })
    expect(made.log.changes[0]?.trigger).toBe('fail')
    expect(made.log.changes[0]).not.toHaveProperty('result')
    expect(made.log.events.at(-1)?.payload).toMatchObject({ reason_code: 'goal_not_reached' })
    expect(made.log.events.at(-2)?.payload).toMatchObject({ judge_decision: { reason: 'Wrong sum.' } })
    expect(made.log.journal).toEqual([journalEntry('fail', '0/a:0', { attempt: 1, keptTurns: 0 })])
  })

  test('other running tasks run to their end, and no others start', async () => {
    const plan = { steps: [...twoSteps.steps, { id: 'c', instruction: 'more' }] }
    const made = await settle(says({ decision: 'stop' }), { ...byPlanner(plan), beside: ['1/b'] })
    expect([made.settled, made.log.decisions]).toEqual([goOn, ['judge stop steps_skipped']])
    expect(made.log.journal[1]).toEqual(journalEntry('stop', '1/a', { executing: ['1/b'], generation: 1 }))
    expect(made.tasks().map(({ stepId }) => stepId)).toEqual(['b'])
  })

  test('rejected work ends the run at once, whatever else is executing', async () => {
    const bad = says({ decision: 'stop', goal_reached: false })
    const made = await settle(bad, { plan: twoSteps, beside: ['0/b'] })
    expect([made.settled, made.log.changes[0]?.trigger]).toEqual([runOver, 'fail'])
  })
})

describe('the judge is not asked', () => {
  test('after a tool step: the plan decides', async () => {
    const calc = { id: 'a', tool: 'calc', input: {} }
    const options = { tools: [fakeTool('calc')] }
    const on = await settle(undefined, {
      ...options,
      plan: { steps: [calc, ...oneStep.steps.map((step) => ({ ...step, id: 'b' }))] },
    })
    expect([on.settled, on.log.decisions]).toEqual([goOn, ['judge continue step_done']])
    const last = await settle(undefined, { ...options, plan: { steps: [calc] } })
    expect([last.settled, last.log.decisions]).toEqual([runOver, ['judge stop all_done']])
  })

  test('after it has said stop', async () => {
    const journal = [journalEntry('stop', '0/x', { executing: ['0/a'] })]
    const made = await settle(undefined, { plan: twoSteps, journal })
    expect([made.settled, made.log.decisions]).toEqual([runOver, ['judge stop steps_skipped']])
    const all = await settle(undefined, { plan: oneStep, journal })
    expect(all.log.decisions).toEqual(['judge stop all_done'])
  })

  test('about a step of an outdated plan', async () => {
    const { tasks } = fakeExecution({ plan: twoSteps })
    const [task] = tasks() as readonly [Task]
    const newPlan = { version: 'v2' as const, steps: [{ id: 'z', instruction: 'z' }] }
    const journal = [journalEntry('replan', '1', {}), journalEntry('plan', '1', newPlan)]
    const made = await settle(undefined, { plan: twoSteps, journal, end: { task } })
    expect([made.settled, made.log.decisions]).toEqual([goOn, ['judge continue step_done']])
    expect(keys(made)).toEqual(['done:0/a'])
  })
})

describe('the turn limit', () => {
  test.each([
    [{ decision: 'continue' }, 'judge continue turn_limit'],
    [{ decision: 'replan' }, 'judge replan replan_requested'],
    [{ decision: 'stop', goal_reached: false }, 'judge stop goal_not_reached'],
    // What the judge said and what is done differ, and the reason code says why.
    [{ decision: 'stop' }, 'judge continue plan_goes_on'],
  ])('is mentioned in the decision: %j', async (said, decision) => {
    const made = await settle(says(said), { plan: twoSteps, end: { note: 'turn_limit' } })
    expect(made.log.decisions).toEqual([decision])
  })

  test('is mentioned at the end, unless the judge did not say that it is the end', async () => {
    const last = { plan: oneStep, end: { note: 'turn_limit' as const } }
    expect((await settle(says({ decision: 'stop' }), last)).log.decisions).toEqual(['judge stop turn_limit'])
    expect((await settle(says({ decision: 'continue' }), last)).log.decisions).toEqual(['judge stop nothing_left'])
  })
})

describe('a judge that is unavailable for now', () => {
  test('parks the step, without writing its end', async () => {
    const made = await settle(failure({ retryAfterMs: 30_000 }), { plan: twoSteps })
    expect(made.settled).toEqual({ kind: 'parked', dueAtMs: 30_000 })
    expect(keys(made)).toEqual(['retry:0/a:judge:1001'])
  })

  test('and whose answer crosses the ceiling ends the run, without the end of the step', async () => {
    const made = await settle(says({ decision: 'stop' }), { plan: twoSteps, run: { tokens: 98, tokenLimit: 100 } })
    expect(made.settled).toBe(runOver)
    expect(made.log.changes).toMatchObject([{ trigger: 'exceed_limit', usage: [{ quantity: 5 }] }])
    expect(keys(made)).toEqual([])
  })
})

test('the limits for models do not apply to a script, which ends by itself', async () => {
  const script: Model = {
    name: 'script',
    readsPrompt: false,
    respond: async () => reply('', { output: { decision: 'replan', reason: '' }, usage: undefined }),
  }
  const parts = { limits: { ...defaultAgentLimits, maxReplans: 0 } }
  const made = await settle(undefined, { judge: script, plan: twoSteps, parts })
  expect([made.settled, made.log.decisions]).toEqual([goOn, ['judge replan replan_requested']])
})
