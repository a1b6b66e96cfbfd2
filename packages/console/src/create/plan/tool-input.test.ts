import { expect, test } from 'vitest'
import { argumentFieldsOf } from '../../agents/tool-arguments.ts'
import { inputOf, inputProblems, textsOf } from './tool-input.ts'

const fields =
  argumentFieldsOf({
    properties: {
      amount: { type: 'number' },
      count: { type: 'integer' },
      note: { type: 'string' },
      urgent: { type: 'boolean' },
      kind: { enum: ['a', 'b'] },
    },
    required: ['amount', 'urgent'],
  }) ?? []

test('an input comes back as it was', () => {
  const input = { amount: 12.5, count: '{{input.count}}', note: '7', urgent: true }
  const texts = textsOf(fields, input)
  expect(texts).toEqual({ amount: '12.5', count: '{{input.count}}', note: '7', urgent: 'yes' })
  expect(inputOf(fields, texts ?? {}, input)).toEqual(input)
})

test('what is empty is left out, but a required yes or no is a no', () => {
  expect(inputOf(fields, {}, {})).toEqual({ urgent: false })
  expect(inputOf(fields, { note: '' }, { note: 'typed' })).toEqual({ urgent: false })
})

test('an empty text that the plan says stays when another field is changed', () => {
  const input = { amount: 1, note: '', urgent: true }
  const texts = { ...textsOf(fields, input), amount: '2' }
  expect(inputOf(fields, texts, input)).toEqual({ ...input, amount: 2 })
  const required = argumentFieldsOf({ properties: { note: { type: 'string' } }, required: ['note'] }) ?? []
  expect(inputProblems(required, { note: '' })).toEqual({})
  expect(inputProblems(required, {})).toEqual({ note: 'This field is needed.' })
})

test.each([
  { other: 1 },
  { note: { deep: 1 } },
  { urgent: '{{input.urgent}}' },
  { note: 5 },
  { kind: '{{input.kind}}' },
])('%j is more than fields can show', (input) => expect(textsOf(fields, input)).toBeUndefined())

test('a template may stand for a number, another text may not', () => {
  expect(inputProblems(fields, { amount: '{{input.sum}}', count: '1' })).toEqual({})
  expect(inputProblems(fields, { amount: 'much', count: '1.5' })).toEqual({
    amount: 'Enter a number or a template.',
    count: 'Enter a whole number or a template.',
  })
  expect(inputProblems(fields, {})).toEqual({ amount: 'This field is needed.' })
})
