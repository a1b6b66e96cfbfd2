import { expect, test } from 'vitest'
import { argumentFieldsOf, argumentsOf, jsonArgumentsOf } from './tool-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    number: { type: 'integer', description: 'On the invoice.' },
    rate: { type: 'number' },
    note: { type: 'string' },
    kind: { enum: ['a', 'b'] },
    urgent: { type: 'boolean' },
  },
  required: ['number', 'urgent'],
}

const fields = argumentFieldsOf(schema) ?? []

test('single values get a field each', () => {
  expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['number', 'number', true],
    ['rate', 'number', false],
    ['note', 'text', false],
    ['kind', 'choice', false],
    ['urgent', 'boolean', true],
  ])
})

test.each([
  [{ type: 'object' }],
  [{ properties: { list: { type: 'array' } } }],
  [{ properties: { nested: { type: 'object' } } }],
  [{ properties: { either: { anyOf: [{ type: 'string' }] } } }],
  [{ properties: { odd: { enum: [1, 'a'] } } }],
  [{ properties: { any: true } }],
  [{ properties: { a: { type: 'string' } }, required: ['b'] }],
  [{ properties: { constructor: { type: 'string' } } }],
])('%j needs JSON', (other) => {
  expect(argumentFieldsOf(other)).toBeUndefined()
})

test('texts become values, and empty ones are left out', () => {
  expect(argumentsOf(fields, { number: '4711', rate: '', note: '', kind: 'b', urgent: '' })).toEqual({
    value: { number: 4711, kind: 'b', urgent: false },
  })
  expect(argumentsOf(fields, { number: '1', urgent: 'yes', rate: '-0.5' })).toEqual({
    value: { number: 1, urgent: true, rate: -0.5 },
  })
})

test('each problem belongs to its field', () => {
  expect(argumentsOf(fields, { number: '1.5', rate: 'x' })).toEqual({
    problems: { number: 'Enter a whole number.', rate: 'Enter a number.' },
  })
  expect(argumentsOf(fields, {})).toEqual({ problems: { number: 'This field is needed.' } })
})

test('JSON must be an object, and nothing is an empty one', () => {
  expect(jsonArgumentsOf(' ')).toEqual({ value: {} })
  expect(jsonArgumentsOf('[]')).toEqual({ problems: { json: 'This must be a JSON object: { … }.' } })
})
