import { expect, test } from 'vitest'
import { signalOf } from './signal-of.ts'

const draft = { reason: ' Paid already ', json: '{"account":1}' }

test('an approval contains only the seq of the wait', () => {
  expect(signalOf({ ...draft, action: 'approve' }, 7)).toEqual({ action: 'approve', await_seq: 7 })
})

test('a rejection contains the reason', () => {
  expect(signalOf({ ...draft, action: 'reject' }, 7)).toEqual({
    action: 'reject',
    await_seq: 7,
    payload: { reason: 'Paid already' },
  })
})

test('a rejection without a reason has no payload', () => {
  expect(signalOf({ ...draft, reason: ' ', action: 'reject' }, 7)).toEqual({ action: 'reject', await_seq: 7 })
})

test('submitted input is the entered JSON', () => {
  expect(signalOf({ ...draft, action: 'submit_input' }, 7)).toEqual({
    action: 'submit_input',
    await_seq: 7,
    payload: { account: 1 },
  })
})

test('invalid JSON is not sent', () => {
  expect(signalOf({ ...draft, json: '{', action: 'submit_input' }, 7)).toEqual({
    problem: expect.stringContaining('not valid JSON'),
  })
})
