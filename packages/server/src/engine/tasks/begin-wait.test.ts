import { expect, test } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { argumentsHash } from '../calls/asked-call.ts'
import { beginWait } from './begin-wait.ts'
import { runOver } from './settled.ts'

const wait = (part: Partial<Wait> = {}): Wait => ({
  key: 'gate:0/g',
  reasonCode: 'needs_review',
  inputKind: 'approval',
  prompt: 'Pay {{input.sum}}?',
  ...part,
})

test('the run waits: the decision, the wait and how long it may last', async () => {
  const { context, log } = fakeExecution({ run: { input: { sum: 391 }, signalTimeoutSeconds: 60 } })
  expect(await beginWait(context, wait())).toBe(runOver)
  expect(log.changes).toMatchObject([
    {
      trigger: 'await_input',
      wait: {
        key: 'gate:0/g',
        reasonCode: 'needs_review',
        inputKind: 'approval',
        prompt: 'Pay 391?',
        timeoutMs: 60_000,
      },
    },
  ])
  expect(log.decisions).toEqual(['judge await_input approval_required'])
  expect(log.events[1]).toMatchObject({ type: 'run.awaiting_input', payload: { reason_code: 'needs_review' } })
})

test('the operator reads that a question ends before its escalation', async () => {
  const rules = (seconds: number) => ({ approvers: ['a'], escalate_after_seconds: seconds, escalate_to: ['b'] })
  const { context, logged } = fakeExecution({ run: { signalTimeoutSeconds: 60 } })
  await beginWait(context, wait({ rules: rules(59) }))
  expect(logged).toEqual([])
  await beginWait(context, wait({ rules: rules(60) }))
  expect(logged).toEqual(['warn a question ends before its escalation'])
})

test('the wait says why it exists', async () => {
  const { context, log } = fakeExecution()
  await beginWait(context, wait({ inputKind: null, prompt: null }))
  expect(log.decisions).toEqual(['judge await_input input_required'])
  expect(log.changes[0]?.wait?.prompt).toBeNull()
})

test('a prompt that cannot be filled in is shown as written', async () => {
  const { context, log } = fakeExecution()
  await beginWait(context, wait({ prompt: 'Pay {{input.gone}}?' }))
  expect(log.changes[0]?.wait?.prompt).toBe('Pay {{input.gone}}?')
})

const toolStep = (input: Record<string, unknown>) => {
  const plan = { steps: [{ id: 'pay', tool: 'pay', input, approval: 'required' as const }] }
  const answers = [{ action: 'submit_input' as const, payload: { sum: 5 }, waitKey: 'gate:0/g' }]
  const execution = fakeExecution({ plan, answers, run: { input: { sum: 391 } } })
  const { wait: asked } = execution.ledger.progress.next(new Set()) as { wait: Wait }
  return { ...execution, asked }
}

test('an approval of a tool step shows the call that will be made', async () => {
  const { context, log, asked } = toolStep({ sum: '{{input.sum}}' })
  await beginWait(context, asked)
  expect(log.changes[0]?.wait).toMatchObject({
    prompt: 'May the tool pay be called?',
    call: {
      tool: 'pay',
      arguments: { sum: 391 },
      argumentsHash: argumentsHash({ name: 'pay', input: { sum: 391 } }),
      why: 'The plan requires approval before this step.',
      hasRead: [],
    },
  })
})

test('an input that the answer can change is shown as written, without a hash', async () => {
  const { context, log, asked } = toolStep({ sum: '{{signal.payload.sum}}' })
  await beginWait(context, asked)
  expect(log.changes[0]?.wait?.call).toMatchObject({
    arguments: { sum: '{{signal.payload.sum}}' },
    argumentsHash: null,
  })
})

test('an approval of an agent step shows its instruction filled in', async () => {
  const plan = { steps: [{ id: 'a', instruction: 'Pay {{input.sum}}', approval: 'required' as const }] }
  const { context, ledger, log } = fakeExecution({ plan, run: { input: { sum: 391 } } })
  await beginWait(context, (ledger.progress.next(new Set()) as { wait: Wait }).wait)
  expect(log.changes[0]?.wait).toMatchObject({ prompt: 'May this step start: Pay 391' })
  expect(log.changes[0]?.wait?.call).toBeUndefined()
})

test('a decision that was announced before is not announced again', async () => {
  const { context, log } = fakeExecution()
  context.announcedWaits.add('gate:0/g')
  await beginWait(context, wait({ prompt: null }))
  expect(log.events.map(({ type }) => type)).toEqual(['run.awaiting_input'])
})
