import { expect, test } from 'vitest'
import { taskCompleted, tokensConsumed, toolUsed } from './token-usage.ts'

test('a completion is one record with its details', () => {
  expect(tokensConsumed({ total: 18, input: 11, output: 7, cached: 3, estimated: true }, 'test/m')).toEqual([
    {
      key: expect.stringMatching(/^tokens:[0-9a-f-]{36}$/),
      eventType: 'tokens.consumed',
      quantity: 18,
      details: { model: 'test/m', input: 11, output: 7, cached: 3, estimated: true },
    },
  ])
})

test('a completion of no model has a record without details; one without usage has no record', () => {
  expect(tokensConsumed({ total: 18 })[0]).not.toHaveProperty('details')
  expect(tokensConsumed({ total: 18 }, 'test/m')).toMatchObject([{ details: { model: 'test/m' } }])
  expect(tokensConsumed(undefined, 'test/m')).toEqual([])
})

test.each([
  [2.6, 3],
  [-5, 0],
  [0, 0],
])('a total of %d is metered as %d', (total, quantity) => {
  expect(tokensConsumed({ total })).toMatchObject([{ quantity }])
})

test('a call that is made again costs again; a step and a tool call cost once', () => {
  const [first, second] = [tokensConsumed({ total: 1 }), tokensConsumed({ total: 1 })]
  expect(first[0]?.key).not.toBe(second[0]?.key)
  expect(taskCompleted('0/a')).toEqual({ key: 'task:0/a', eventType: 'task.completed', quantity: 1 })
  expect(toolUsed('c1')).toEqual({ key: 'tool:c1', eventType: 'tool.invoked', quantity: 1 })
})
