import { expect, test } from 'vitest'
import { isClosed, isStrict } from './schema-forms.ts'

const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})
const number = { type: 'number' }

test.each<[string, object | undefined, { closed: boolean; strict: boolean }]>([
  ['all required', closed({ a: number }), { closed: true, strict: true }],
  ['no schema', undefined, { closed: true, strict: false }],
  ['an optional property', closed({ a: number }, { required: [] }), { closed: true, strict: false }],
  ['others not excluded', { type: 'object', properties: { a: number } }, { closed: true, strict: false }],
  ['any object', { type: 'object' }, { closed: false, strict: false }],
  ['any object inside', closed({ a: { type: ['object', 'null'] } }), { closed: false, strict: false }],
  [
    'free keys in a list',
    closed({ a: { type: 'array', items: { additionalProperties: number } } }),
    { closed: false, strict: false },
  ],
  ['free keys in a branch', closed({ a: { anyOf: [number, { type: 'object' }] } }), { closed: false, strict: false }],
  [
    'free keys in a definition',
    closed({ a: number }, { $defs: { b: { type: 'object' } } }),
    { closed: false, strict: false },
  ],
  ['patterns of keys', closed({}, { patternProperties: { '^x': number } }), { closed: false, strict: false }],
  ['a keyword that strict mode refuses', closed({ a: { ...number, default: 1 } }), { closed: true, strict: false }],
  ['a list at the top', { type: 'array', items: number }, { closed: true, strict: false }],
])('%s', (_, schema, expected) => {
  expect({ closed: isClosed(schema), strict: isStrict(schema) }).toEqual(expected)
})
