import { expect, test } from 'vitest'
import { failure, fakeExecution, fakeModel, reply } from '../../../test/support/fake-execution.ts'
import type { ModelRequest } from '../../models/port/model.ts'

test('the models of all roles share what the run may still use', async () => {
  const worker = fakeModel('test/worker', () => new Promise(() => undefined))
  const judge = fakeModel('test/judge', reply('Fine.'))
  const { context, controller } = fakeExecution({
    run: { tokenLimit: 5_000 },
    models: { worker: [worker], judge: [judge] },
  })
  const request = {
    messages: [{ from: 'user', text: 'x'.repeat(4_000) }],
    tools: [],
    signal: controller.signal,
  } as unknown as ModelRequest
  void context.models.worker[0]?.respond(request)
  const judged = context.models.judge[0]?.respond(request)
  await new Promise(setImmediate)
  expect([worker.requests.length, judge.requests.length]).toEqual([1, 0])
  controller.abort('hand_over')
  expect(await judged).toMatchObject({ kind: 'reply' })
})

test('a list of models keeps its order', () => {
  const worker = ['first', 'second'].map((name) => fakeModel(name, failure()))
  expect(fakeExecution({ models: { worker } }).context.models.worker.map(({ name }) => name)).toEqual([
    'first',
    'second',
  ])
})
