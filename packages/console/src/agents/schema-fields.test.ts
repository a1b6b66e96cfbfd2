import { expect, test } from 'vitest'
import { schemaFields } from './schema-fields.ts'

const typeIn = (schema: unknown) => schemaFields({ properties: { field: schema } })[0]?.type

test('every property is a field, with whether it is required', () => {
  const schema = {
    type: 'object',
    properties: { url: { type: 'string', description: 'Where to.' }, retries: { type: 'integer' } },
    required: ['url'],
  }
  expect(schemaFields(schema)).toEqual([
    { name: 'url', type: 'string', isRequired: true, description: 'Where to.' },
    { name: 'retries', type: 'integer', isRequired: false, description: '' },
  ])
})

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ enum: ['a', 2] }, '"a" or 2'],
  [{ const: 'a' }, '"a"'],
  [{ type: 'array', items: { type: 'string' } }, 'list of string'],
  [{ type: 'array' }, 'list'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string or number'],
  [{}, 'any'],
  [true, 'any'],
])('%j is %s', (schema, type) => {
  expect(typeIn(schema)).toBe(type)
})

test.each([[{}], [{ properties: null }], [{ properties: [] }], [{ properties: 'x', required: 'y' }]])(
  'a schema without properties has no fields: %j',
  (schema) => {
    expect(schemaFields(schema)).toEqual([])
  },
)
