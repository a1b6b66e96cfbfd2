import type { AwaitingInput } from '@runwright/contract'
import { expect, test } from 'vitest'
import { outcomesOf } from './outcomes.ts'

const calls = (count: number) => Array.from({ length: count }, () => ({})) as unknown as AwaitingInput['calls']
const asking = (own: Partial<AwaitingInput>) =>
  ({
    input_kind: 'approval',
    tool: 'pay',
    arguments_hash: 'ab',
    approvals: 1,
    calls: calls(1),
    ...own,
  }) as AwaitingInput
const linesOf = (own: Partial<AwaitingInput>) =>
  outcomesOf(asking(own), 'Then the run goes on.').map(({ name, text }) => `${name}: ${text}`)
const unknown = { reason_code: 'tool_outcome_unknown' } as const

const denied =
  'Deny the call: The call is not made. The model reads your reason and goes on; a step of a plan that only makes ' +
  'this call fails.'
const rejected = 'Reject: The run fails. Nothing more is called.'

test('a call: every button is there, and no other', () => {
  expect(linesOf({})).toEqual([
    'Approve: pay is called once, as shown. Then the run goes on.',
    'Change the arguments: pay is called once with what you enter, if policy allows that. The model is told.',
    denied,
    'Give its result: The call is not made. The run goes on with this result.',
    rejected,
  ])
})

test('where several people decide, one answer is not enough, but one no is', () => {
  expect(linesOf({ approvals: 2 })).toEqual([
    'Approve: After 2 equal answers: pay is called once, as shown. Then the run goes on.',
    expect.stringMatching(/^Change the arguments: After 2 equal answers: pay is called once with what you enter/),
    denied,
    'Give its result: After 2 equal answers: the call is not made. The run goes on with this result.',
    rejected,
  ])
})

test('of several calls, an approval is about the first', () => {
  const lines = linesOf({ calls: calls(3) })
  expect(lines[0]).toBe(
    'Approve: pay is called once, as shown. The run asks about the other 2 calls. Then the run goes on.',
  )
  expect(lines).toContain(
    'Decide about all calls: Each call is made or not, as you decide. The run asks again about those that you leave out.',
  )
})

test('a call whose outcome is not known is called again only if that is approved', () => {
  expect(linesOf(unknown)).toEqual([
    'Approve: pay is called once more. Then the run goes on.',
    'The call failed: The call is not made again. The run goes on with this error.',
    'Give its result: The call is not made again. The run goes on with this result.',
    rejected,
  ])
})

test.each<[string, Partial<AwaitingInput>, string]>([
  ['a call with a schema', { approval_schema: {} }, 'Approve: pay is called once, as shown. Then the run goes on.'],
  [
    'an unknown outcome with a schema',
    { ...unknown, approval_schema: {} },
    'Approve: pay is called once more. Then the run goes on.',
  ],
  ['a question', { tool: null }, 'Approve: The step is answered. Then the run goes on.'],
  [
    'a question for data',
    { tool: null, input_kind: 'payload' },
    'Answer with data: The run reads it. Then the run goes on.',
  ],
  ['a call that depends on the answer', { arguments_hash: null }, 'Approve: pay is called once. Then the run goes on.'],
])('%s', (_name, own, first) => {
  expect(linesOf(own)[0]).toBe(first)
})
