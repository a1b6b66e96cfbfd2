import { describe, expect, test } from 'vitest'
import { type FakeOptions, fakeExecution, fakeModel, reply } from '../../../test/support/fake-execution.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task, Wait } from '../../domain/run/next-move.ts'
import { finishStep } from './finish-step.ts'
import { goOn, held, runOver } from './settled.ts'
import { noOtherTasks, type OtherTasks, type TaskEnd, type TaskFailed } from './task-end.ts'

const oneStep = { steps: [{ id: 'a', instruction: 'check it', max_attempts: 2 }] }
const usage = [{ key: 'tokens:1', eventType: 'tokens.consumed' as const, quantity: 7 }]

type EndOf = (task: Task) => TaskEnd

interface Given extends FakeOptions {
  readonly others?: OtherTasks
}

async function settle(endOf: EndOf, { others = noOtherTasks, ...options }: Given = {}) {
  const execution = fakeExecution({ plan: oneStep, ...options })
  const [task] = execution.tasks() as readonly [Task]
  const settled = await finishStep(execution.context, endOf(task), others)
  return { ...execution, settled }
}

const failed =
  (part: Partial<TaskFailed> = {}): EndOf =>
  (task) => ({
    kind: 'failed',
    task,
    reasonCode: 'provider_error',
    message: 'not like that',
    retryable: true,
    content: 'It was',
    rest: ' was',
    usage,
    ...part,
  })

describe('a step that failed', () => {
  test('and may be tried again: one change with its end, the decision, the failure and its usage', async () => {
    const { settled, log } = await settle(failed())
    expect(settled).toBe(goOn)
    expect(log.changes).toMatchObject([{ trigger: 'progress', tokens: 7 }])
    expect(log.events.map(({ type, payload }) => [type, payload.content_delta ?? payload.outcome])).toEqual([
      ['step.progress', ' was'],
      ['step.done', 'retry_step'],
      ['run.coordination.decision', undefined],
    ])
    expect(log.events[1]?.payload).toMatchObject({
      content: 'It was',
      reason_code: 'provider_error',
      provider_error_message: 'not like that',
    })
    expect(log.decisions).toEqual(['judge continue retry_step'])
    expect(log.journal).toEqual([journalEntry('fail', '0/a:0', { attempt: 1 })])
  })

  test.each([
    ['permanently', failed({ retryable: false }), []],
    ['for the last time', failed(), [journalEntry('fail', '0/a:0', { attempt: 1 })]],
  ])('%s fails the run with its reason', async (_, end, journal) => {
    const { settled, log } = await settle(end, { journal })
    expect(settled).toBe(runOver)
    expect(log.changes).toMatchObject([{ trigger: 'fail', tokens: 7 }])
    expect(log.events.slice(-3)).toMatchObject([
      { type: 'step.done', payload: { outcome: 'fail_run', reason_code: 'provider_error' } },
      { type: 'run.coordination.decision', payload: { decision_type: 'stop', reason_code: 'step_failed' } },
      { type: 'run.worker.failed', payload: { reason_code: 'provider_error' } },
    ])
    expect(log.journal).toEqual([journalEntry('fail', `0/a:${journal.length}`, { attempt: 1 })])
  })

  test('failures of earlier attempts of the run do not count', async () => {
    const journal = [0, 1].map((n) => journalEntry('fail', `0/a:${n}`, { attempt: 7 }))
    const { settled, log } = await settle(failed(), { journal })
    expect(settled).toBe(goOn)
    expect(log.journal).toMatchObject([{ key: 'fail:0/a:2' }])
  })

  test('because of its answers: the next try keeps only the turns with tool calls', async () => {
    const turn = (index: number, calls: readonly object[]) =>
      journalEntry('reply', `0/a:${index}`, { text: `turn ${index}`, calls, model: 'test/m' } as never)
    const call = { callId: 'c', modelCallId: 'm', name: 'pay', input: {} }
    const { ledger } = await settle(failed({ keptTurns: 1 }), { journal: [turn(0, [call]), turn(1, [])] })
    expect(ledger.progress.turns.repliesOf('0/a').map(({ text }) => text)).toEqual(['turn 0'])
  })

  test('for another cause keeps all its turns', async () => {
    const journal = [journalEntry('reply', '0/a:0', { text: 'kept', calls: [], model: 'test/m' })]
    const { ledger, log } = await settle(failed(), { journal })
    expect(ledger.progress.turns.repliesOf('0/a')).toHaveLength(1)
    expect(log.journal[0]?.body).toEqual({ attempt: 1 })
  })
})

describe('a step that crossed a limit', () => {
  test('ends the run at its token limit. The step gets no end, and its last call is metered', async () => {
    const execution = fakeExecution({ plan: oneStep, run: { tokenLimit: 100, tokens: 94 } })
    const { context, log, ledger } = execution
    const [task] = execution.tasks() as readonly [Task]
    ledger.spend(usage)
    expect(await finishStep(context, { kind: 'over_ceiling', task, usage }, noOtherTasks)).toBe(runOver)
    expect(log.changes).toMatchObject([{ trigger: 'exceed_limit', tokens: 7, usage }])
    const payload = { limitType: 'cost_ceiling', currentValue: 101, threshold: 100, unit: 'tokens' }
    expect(log.events).toMatchObject([{ type: 'run.limit_exceeded', terminal: true, payload }])
    expect(ledger.tokens).toBe(101)
  })

  test('in the judge’s call: the run ends, and what the judge used is metered', async () => {
    const judge = fakeModel('test/judge', reply('{"decision":"stop"}', { usage: { total: 50 } }))
    const { settled, log } = await settle(succeeded(), { run: { tokenLimit: 40 }, models: { judge: [judge] } })
    expect(settled).toBe(runOver)
    expect(log.changes).toMatchObject([{ trigger: 'exceed_limit', tokens: 50 }])
    expect(log.events.map(({ type }) => type)).toEqual(['run.limit_exceeded'])
  })
})

const wait: Wait = { key: 'ask:c:1', reasonCode: 'approval_required', inputKind: 'approval', prompt: 'Pay 17?' }

describe('a step that needs a person', () => {
  const asked: EndOf = (task) => ({ kind: 'person_asked', task, wait })

  test('waits while other steps are executing, and writes nothing', async () => {
    const { settled, log } = await settle(asked, { others: { keys: ['0/b'], isQuiet: false } })
    expect([settled, log.changes]).toEqual([held, []])
  })

  test('gives up its worker for the wait; sleeping steps do not hold it up', async () => {
    const { settled, log } = await settle(asked, { others: { keys: ['0/b'], isQuiet: true } })
    expect(settled).toBe(runOver)
    expect(log.changes).toMatchObject([
      { trigger: 'await_input', wait: { key: 'ask:c:1', prompt: 'Pay 17?', timeoutMs: 60_000 } },
    ])
    expect(log.events.map(({ type }) => type)).toEqual(['run.coordination.decision', 'run.awaiting_input'])
    expect(log.decisions).toEqual(['judge await_input approval_required'])
  })
})

test('a parked step writes nothing, and says when it goes on', async () => {
  const { settled, log } = await settle((task) => ({ kind: 'parked', task, dueAtMs: 90_000 }))
  expect([settled, log.changes]).toMatchObject([{ kind: 'parked', dueAtMs: 90_000 }, []])
})

test('a step that succeeded is judged', async () => {
  const judge = fakeModel('test/judge', reply('{"decision":"stop","reason":"Good."}'))
  const { settled, log } = await settle(succeeded(), { models: { judge: [judge] } })
  expect(settled).toBe(runOver)
  expect(log.changes).toMatchObject([{ trigger: 'succeed', result: { value: { content: 'It is 391.' } } }])
})

function succeeded(): EndOf {
  return (task) => ({
    ...{ kind: 'succeeded', task, content: 'It is 391.', output: { price: 391 }, redacted: false, rest: '', usage: [] },
    evidence: { instruction: 'check it', calls: [], keptTurns: 0 },
  })
}
