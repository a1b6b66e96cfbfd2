import type { AwaitingInput } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { changeOf, type Draft, denialOf, emptyDraft, rejectionOf, submissionOf } from './draft.ts'
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
    expect(submissionOf(draft({ entries }), wait('approval'))).toEqual({
      answer: { action: 'submit_input', payload: { account: 'DE-42', amount: 12.5, urgent: true } },
    })
  })

  test('a field named like a property of all objects is a field like any other', () => {
    const result = submissionOf(draft({ entries: [entry('__proto__', 'x')] }), wait('approval'))
    expect(JSON.stringify(result)).toBe('{"answer":{"action":"submit_input","payload":{"__proto__":"x"}}}')
  })

  test.each([
    [[entry('', '')], 'Enter at least one field.'],
    [[entry('', 'x')], 'Name the field with the value “x”.'],
    [[entry('a', 'x'), entry('a', 'y')], '“a” is there twice.'],
    [[entry('a', 'twelve', 'number')], '“a” must be a number, such as 12.5.'],
    [[entry('a', '9007199254740993', 'number')], '“a” is too large to be sent exactly. Send it as text.'],
  ])('%j are refused', (entries, problem) => {
    expect(submissionOf(draft({ entries }), wait('approval'))).toEqual({ problem })
  })
})

test('JSON is sent as entered', () => {
  expect(submissionOf(draft({ dataAs: 'json', json: '{"account":1}' }), wait('approval'))).toEqual({
    answer: { action: 'submit_input', payload: { account: 1 } },
  })
})

test('invalid JSON is not sent', () => {
  expect(submissionOf(draft({ dataAs: 'json', json: '{' }), wait('approval'))).toEqual({
    problem: expect.stringContaining('not valid JSON'),
  })
})

describe('a question with a schema', () => {
  const properties = { supplier: { type: 'string' }, total: { type: 'number' }, rush: { type: 'boolean' } }
  const asked = { ...wait('approval'), approval_schema: { type: 'object', properties } } as AwaitingInput

  test('starts with its fields', () => {
    expect(emptyDraft(asked)).toMatchObject({
      open: 'data',
      entries: [
        { name: 'supplier', type: 'text', value: '' },
        { name: 'total', type: 'number', value: '' },
        { name: 'rush', type: 'yes or no', value: 'no' },
      ],
    })
  })

  test('is approved with its data', () => {
    const entries = [entry('supplier', 'Oakline')]
    expect(submissionOf(draft({ entries }), asked)).toEqual({
      answer: { action: 'approve', payload: { supplier: 'Oakline' } },
    })
  })
})

test('a call is denied with a reason', () => {
  expect(denialOf(draft({ deny: ' Ask the bank first. ' }))).toEqual({
    action: 'submit_input',
    call: { deny: 'Ask the bank first.' },
  })
})

describe('changed arguments', () => {
  test('are sent as an object', () => {
    expect(changeOf(draft({ arguments: '{"amount":12}' }))).toEqual({
      answer: { action: 'submit_input', call: { arguments: { amount: 12 } } },
    })
  })

  test.each(['[1]', '"text"', '{'])('are refused if they are %s', (text) => {
    expect(changeOf(draft({ arguments: text }))).toHaveProperty('problem')
  })

  test('are refused with a masked value: the mask is not what it stands for', () => {
    expect(changeOf(draft({ arguments: '{"to":{"iban":"***"}}' }))).toEqual({
      problem: expect.stringContaining('masked'),
    })
  })
})
