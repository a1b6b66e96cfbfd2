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
    },
    required: ['amount', 'urgent'],
  }) ?? []

test('an input comes back as it was', () => {
  const input = { amount: 12.5, count: '{{input.count}}', note: '7', urgent: true }
  const texts = textsOf(fields, input)
  expect(texts).toEqual({ amount: '12.5', count: '{{input.count}}', note: '7', urgent: 'yes' })
  expect(inputOf(fields, texts ?? {})).toEqual(input)
})

test('what is empty is left out, but a required yes or no is a no', () => {
  expect(inputOf(fields, {})).toEqual({ urgent: false })
})

test.each([{ other: 1 }, { note: { deep: 1 } }, { urgent: '{{input.urgent}}' }, { note: 5 }])(
  '%j is more than fields can show',
  (input) => expect(textsOf(fields, input)).toBeUndefined(),
)

test('a template may stand for a number, another text may not', () => {
  expect(inputProblems(fields, { amount: '{{input.sum}}', count: '1' })).toEqual({})
  expect(inputProblems(fields, { amount: 'much', count: '1.5' })).toEqual({
    amount: 'Enter a number or a template.',
    count: 'Enter a whole number or a template.',
  })
  expect(inputProblems(fields, {})).toEqual({ amount: 'This field is needed.' })
})
