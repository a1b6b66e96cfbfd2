import { expect, test } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import { endEvents } from './end-events.ts'
import type { TaskSucceeded } from './task-end.ts'

const { context, tasks } = fakeExecution()
const [task] = tasks()
const of = context.stepOf('0/#0')
const end = (part: Partial<TaskSucceeded>): TaskSucceeded => ({
  kind: 'succeeded',
  task: task as TaskSucceeded['task'],
  content: 'all of it',
  output: null,
  redacted: false,
  rest: '',
  usage: [],
  ...part,
})
const done = { content: 'all of it', outcome: 'succeeded' } as const

test('the end comes after the remaining text', () => {
  const { taskId } = of
  expect(endEvents(of, end({ rest: ' of it' }), done)).toMatchObject([
    { type: 'step.progress', payload: { task_id: taskId, kind: 'content_delta', content_delta: ' of it' } },
    { type: 'step.done', redacted: false, payload: { task_id: taskId, content: 'all of it', outcome: 'succeeded' } },
  ])
})

test('without remaining text there is no text event', () => {
  expect(endEvents(of, end({}), done).map(({ type }) => type)).toEqual(['step.done'])
})

test('the end says that a secret was masked', () => {
  expect(endEvents(of, end({ redacted: true }), done)[0]).toMatchObject({ redacted: true })
})

test('a failure has its reason code and the provider’s message', () => {
  const failed = { content: '', outcome: 'fail_run', reasonCode: 'provider_error', providerMessage: 'no' } as const
  expect(endEvents(of, end({}), failed)[0]?.payload).toMatchObject({
    outcome: 'fail_run',
    reason_code: 'provider_error',
    provider_error_message: 'no',
  })
})
