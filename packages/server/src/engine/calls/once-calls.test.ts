import { expect, test } from 'vitest'
import { fakeExecution, fakeTool } from '../../../test/support/fake-execution.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import { orderCalls, repeatedCall } from './once-calls.ts'

const tools = [
  fakeTool('read'),
  fakeTool('set', { effect: 'idempotent' }),
  fakeTool('pay', { effect: 'once' }),
  fakeTool('post', { effectOf: ({ method }) => (method === 'GET' ? 'read' : 'once') }),
]

/** Each call is written as its tool and its argument, such as `pay 1`. */
function order(...calls: [name: string, input?: unknown][]) {
  const made = calls.map(([name, input = {}], index): JournaledCall => {
    return { callId: `c${index}`, modelCallId: `m${index}`, name, input }
  })
  return orderCalls(fakeExecution({ tools }).context, made)
}
const groupsOf = async (ordered: ReturnType<typeof order>) =>
  (await ordered).groups.map(({ calls }) => calls.map(({ callId }) => callId))

test('read and idempotent calls run in parallel', async () => {
  expect(await groupsOf(order(['read'], ['set'], ['read'], ['no_such_tool']))).toEqual([['c0', 'c1', 'c2', 'c3']])
})

test('once calls run one after another, in order', async () => {
  const groups = groupsOf(order(['read'], ['pay', { n: 1 }], ['pay', { n: 2 }], ['read'], ['set'], ['pay', { n: 3 }]))
  expect(await groups).toEqual([['c0'], ['c1'], ['c2'], ['c3', 'c4'], ['c5']])
})

test('the effect depends on the input', async () => {
  expect(await groupsOf(order(['post', { method: 'GET' }], ['post', { method: 'GET' }]))).toEqual([['c0', 'c1']])
  expect(await groupsOf(order(['post', { n: 1 }], ['post', { n: 2 }]))).toEqual([['c0'], ['c1']])
})

test('a repeated once call is not made', async () => {
  const ordered = order(['pay', { a: 1, b: 2 }], ['read'], ['pay', { b: 2, a: 1 }], ['read'], ['pay', { a: 1 }])
  expect(await groupsOf(ordered)).toEqual([['c0'], ['c1', 'c3'], ['c4']])
  expect([...(await ordered).repeats].map(([id, first]) => [id, first.callId])).toEqual([['c2', 'c0']])
})

test('a repeated read call is made', async () => {
  const ordered = order(['read', { a: 1 }], ['read', { a: 1 }])
  expect(await groupsOf(ordered)).toEqual([['c0', 'c1']])
  expect((await ordered).repeats.size).toBe(0)
})

test('the model is told which call it repeated', () => {
  const first = { callId: 'c0', modelCallId: 'm0', name: 'pay', input: {} }
  expect(repeatedCall(first)).toEqual({
    outcome: 'failed',
    message: expect.stringMatching(/repeats the call m0 of pay .*not made again/),
    noEffect: true,
  })
})
