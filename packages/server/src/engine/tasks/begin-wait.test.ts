import { expect, test } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import type { Wait } from '../../domain/run/progress.ts'
import { beginWait } from './begin-wait.ts'

const wait = (part: Partial<Wait> = {}): Wait => ({
  key: 'gate:0/g',
  reasonCode: 'needs_review',
  inputKind: 'approval',
  prompt: 'Pay {{input.sum}}?',
  ...part,
})

test('the run waits: the decision, the wait and how long it may last', async () => {
  const { context, log } = fakeExecution({ run: { input: { sum: 391 }, signalTimeoutSeconds: 60 } })
  expect(await beginWait(context, wait())).toBe('run is over')
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

test('a decision that was announced before is not announced again', async () => {
  const { context, log } = fakeExecution()
  context.announcedWaits.add('gate:0/g')
  await beginWait(context, wait({ prompt: null }))
  expect(log.events.map(({ type }) => type)).toEqual(['run.awaiting_input'])
})
