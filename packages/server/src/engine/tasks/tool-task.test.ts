import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type FakeOptions, fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import { approvalKey } from '../../domain/run/wait-keys.ts'
import { ToolTimeout, withoutEffect } from '../../tools/port/tool.ts'
import { executeToolTask } from './tool-task.ts'

// The clock of the run does not advance.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const plan = (tool: string, input: Record<string, unknown> = { n: '{{input.sum}}' }) => ({
  steps: [{ id: 'a', tool, input }],
})

function execute(options: FakeOptions) {
  const execution = fakeExecution({ run: { input: { sum: 4 } }, ...options })
  const [task] = execution.tasks() as readonly [Task]
  const step = task.step as ResolvedToolStep
  const end = executeToolTask(execution.context, task, { step, time: { msLeft: () => 600_000 } })
  return { ...execution, task, end }
}

test('the tool’s output is the output of the step and, as JSON, its content', async () => {
  const tool = fakeTool('calc', { run: ({ n }) => ({ double: Number(n) * 2 }) })
  const { end, task } = execute({ tools: [tool], plan: plan('calc') })
  expect(await end).toEqual({
    kind: 'succeeded',
    task,
    content: '{"double":8}',
    output: { double: 8 },
    redacted: false,
    rest: '',
    usage: [],
  })
  expect(tool.calls.map(({ input }) => input)).toEqual([{ n: 4 }])
})

test('a template without a value fails the step permanently, before any call', async () => {
  const tool = fakeTool('calc')
  const { end, log } = execute({ tools: [tool], plan: plan('calc', { n: '{{input.gone}}' }) })
  expect(await end).toMatchObject({ kind: 'failed', reasonCode: 'template_unresolved', retryable: false })
  expect([tool.calls, log.changes]).toEqual([[], []])
})

test('edited arguments are not sent with a template that has no value', async () => {
  const tool = fakeTool('calc')
  const call = { arguments: { n: '{{signal.payload}}', m: 1 } }
  const answer = { action: 'submit_input', payload: null, call, waitKey: approvalKey('0/a') } as const
  const options = { tools: [tool], plan: plan('calc', { n: '{{signal.payload}}' }), answers: [answer] }
  const { end, log } = execute(options)
  expect(await end).toMatchObject({ kind: 'failed', reasonCode: 'template_unresolved', retryable: false })
  expect([tool.calls, log.changes]).toEqual([[], []])
})

describe('a call that fails', () => {
  const broken = (run: () => never) => ({ run })

  test.each([
    [
      'failed',
      fakeTool(
        't',
        broken(() => {
          throw new Error('no')
        }),
      ),
      true,
    ],
    ['timed out', fakeTool('t', { effect: 'read', run: () => Promise.reject(new ToolTimeout('slow')) }), true],
    [
      'had no effect',
      fakeTool('t', { effect: 'once', run: () => Promise.reject(withoutEffect(new Error('no'))) }),
      true,
    ],
    ['was denied', fakeTool('t', { policy: 'deny' }), false],
  ] as const)('and %s: another attempt may help', async (_, tool, retryable) => {
    expect(await execute({ tools: [tool], plan: plan('t') }).end).toMatchObject({
      kind: 'failed',
      reasonCode: 'tool_failed',
      retryable,
    })
  })

  test.each([new Error('no'), new ToolTimeout('slow')])(
    'and may have had an effect is asked about: %s',
    async (error) => {
      const tool = fakeTool('t', { effect: 'once', run: () => Promise.reject(error) })
      const { end, log } = execute({ tools: [tool], plan: plan('t') })
      expect(await end).toMatchObject({ kind: 'person_asked', wait: { reasonCode: 'tool_outcome_unknown' } })
      expect(log.journal.map(({ key }) => key.split(':')[0])).toEqual(['call', 'try'])
    },
  )

  test('says why', async () => {
    const tool = fakeTool('t', { run: () => Promise.reject(new Error('no money')) })
    expect(await execute({ tools: [tool], plan: plan('t') }).end).toMatchObject({
      content: 'no money',
      message: undefined,
    })
  })

  test('is final: another attempt makes a new call', async () => {
    const tool = fakeTool('t', { effect: 'once' })
    const first = execute({ tools: [tool], plan: plan('t') })
    await first.end
    const retried = execute({
      tools: [tool],
      plan: plan('t'),
      journal: [journalEntry('fail', '0/a:0', { attempt: 1 })],
    })
    await retried.end
    const [one, two] = tool.calls.map(({ context }) => context.toolCallId)
    expect(one).not.toBe(two)
  })

  test('the same attempt after a crash is the same call', async () => {
    const tool = fakeTool('t')
    for (const made of [execute({ tools: [tool], plan: plan('t') }), execute({ tools: [tool], plan: plan('t') })])
      await made.end
    const [one, two] = tool.calls.map(({ context }) => context.toolCallId)
    expect(one).toBe(two)
  })
})

test('a call that needs approval asks for it', async () => {
  const { end, task } = execute({ tools: [fakeTool('t', { policy: 'ask' })], plan: plan('t') })
  expect(await end).toMatchObject({ kind: 'person_asked', task, wait: { reasonCode: 'approval_required' } })
})

test('a call that only waits parks the step', async () => {
  const wait = fakeTool('wait', { input: z.looseObject({ seconds: z.number() }), sleepMs: () => 30_000 })
  const { end, task } = execute({ tools: [wait], plan: plan('wait', { seconds: 30 }) })
  expect(await end).toEqual({ kind: 'parked', task, dueAtMs: 30_000 })
})
