import type { AwaitingInput } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { type Draft, emptyDraft, rejectionOf, submissionOf } from './draft.ts'
import type { Entry } from './entries.ts'

const wait = (input_kind: AwaitingInput['input_kind']) => ({ input_kind }) as AwaitingInput
const draft = (own: Partial<Draft>): Draft => ({ ...emptyDraft(wait('approval')), ...own })
const entry = (name: string, value: string, type: Entry['type'] = 'text'): Entry => ({ name, value, type })

test.each([
  ['approval', undefined],
  ['rejection', 'reason'],
  ['payload', 'data'],
  [null, undefined],
] as const)('a wait for %s opens %s first', (kind, open) => {
  expect(emptyDraft(wait(kind)).open).toBe(open)
})

test('a rejection carries the reason', () => {
  expect(rejectionOf(draft({ reason: ' Paid already ' }))).toEqual({
    action: 'reject',
    payload: { reason: 'Paid already' },
  })
})

test('a rejection without a reason has no payload', () => {
  expect(rejectionOf(draft({ reason: ' ' }))).toEqual({ action: 'reject' })
})

describe('fields', () => {
  test('become one object with values of their type', () => {
    const entries = [
      entry('account', 'DE-42'),
      entry('amount', '12.50', 'number'),
      entry('urgent', 'yes', 'yes or no'),
      entry('', ''),
    ]
    expect(submissionOf(draft({ entries }))).toEqual({
      answer: { action: 'submit_input', payload: { account: 'DE-42', amount: 12.5, urgent: true } },
    })
  })

  test('a field named like a property of all objects is a field like any other', () => {
    const result = submissionOf(draft({ entries: [entry('__proto__', 'x')] }))
    expect(JSON.stringify(result)).toBe('{"answer":{"action":"submit_input","payload":{"__proto__":"x"}}}')
  })

  test.each([
    [[entry('', '')], 'Enter at least one field.'],
    [[entry('', 'x')], 'Name the field with the value “x”.'],
    [[entry('a', 'x'), entry('a', 'y')], '“a” is there twice.'],
    [[entry('a', 'twelve', 'number')], '“a” must be a number, such as 12.5.'],
    [[entry('a', '9007199254740993', 'number')], '“a” is too large to be sent exactly. Send it as text.'],
  ])('%j are refused', (entries, problem) => {
    expect(submissionOf(draft({ entries }))).toEqual({ problem })
  })
})

test('JSON is sent as entered', () => {
  expect(submissionOf(draft({ dataAs: 'json', json: '{"account":1}' }))).toEqual({
    answer: { action: 'submit_input', payload: { account: 1 } },
  })
})

test('invalid JSON is not sent', () => {
  expect(submissionOf(draft({ dataAs: 'json', json: '{' }))).toEqual({
    problem: expect.stringContaining('not valid JSON'),
  })
})
