import type { AwaitingInput } from '@runwright/contract'
import { expect, test } from 'vitest'
import { countedWords, wordsOf } from './decision-words.ts'

const about = (call: object) => ({ action: 'submit_input', call }) as const

test.each([
  [{ action: 'approve' }, 'Approve', 'Approved.'],
  [{ action: 'reject', payload: { reason: 'Too dear' } }, 'Reject', 'Rejected.'],
  [{ action: 'submit_input', payload: { street: 'A' } }, 'Send your data', 'Your data was sent.'],
  [about({ deny: 'Paid already' }), 'Deny the call', 'The call was denied.'],
  [about({ arguments: { n: 1 } }), 'Approve with other arguments', 'The call was approved with other arguments.'],
  [about({ result: null }), 'Give the result of the call', 'The run was given the result of the call.'],
  [about({ error: 'Timed out' }), 'Say that the call failed', 'The run was told that the call failed.'],
] as const)('%j', (answer, doing, done) => {
  expect(wordsOf(answer)).toEqual({ doing, done })
})

test('of several calls, each kind is counted', () => {
  const calls = [
    { call_id: 'a', approve: true },
    { call_id: 'b', deny: 'No' },
    { call_id: 'c', approve: true },
    { call_id: 'd', arguments: {} },
    { call_id: 'e', result: 1 },
    { call_id: 'f', error: 'x' },
  ] as const
  expect(wordsOf({ action: 'submit_input', calls: [...calls] })).toEqual({
    doing: 'Decide about 6 calls',
    done: '6 calls decided: 2 approved, 1 approved with other arguments, 1 denied, 1 failed, 1 answered with a result.',
  })
  expect(wordsOf({ action: 'submit_input', calls: [calls[1]] }).done).toBe('1 call decided: 1 denied.')
})

test('only the same answers are counted together', () => {
  const by = (key_id: string, action: string, payload: unknown = null) => ({ key_id, action, payload, call: null })
  const wait = (...decisions: object[]) => ({ approvals: 3, decisions }) as unknown as AwaitingInput
  const [ada, ben, cy] = [by('ada', 'approve'), by('ben', 'approve'), by('cy', 'approve', { price: 7 })]
  expect(countedWords(wait(ada), 'ada')).toBe('Counted: 1 of 3.')
  expect(countedWords(wait(cy, ada, ben), 'ada')).toBe('Counted: 2 of 3.')
  expect(countedWords(wait(ada, ben, cy), 'cy')).toBe('Counted: 1 of 3.')
  expect(countedWords(wait(ada, cy, ben), undefined)).toBe('Counted: 2 of 3.')
})
