import { expect, test } from 'vitest'
import { describeSchemaErrors, type SchemaError } from './describe-schema-errors.ts'

const error = (part: Partial<SchemaError>): SchemaError => ({
  instancePath: '',
  keyword: 'type',
  params: {},
  message: 'must be object',
  ...part,
})

test.each([
  [error({}), 'the value must be object'],
  [error({ instancePath: '/items/3/price', message: 'must be number' }), 'items.3.price must be number'],
  [error({ keyword: 'additionalProperties', params: { additionalProperty: 'tip' } }), 'has an unknown property "tip"'],
  [error({ instancePath: '/a', keyword: 'enum', params: { allowedValues: ['x', 1] } }), 'a must be one of ["x",1]'],
])('an error names the place and the problem: case %#', (given, line) => {
  expect(describeSchemaErrors([given])).toContain(line)
})

test('several are one line, and each is cut at 1,000 characters', () => {
  const long = error({ keyword: 'additionalProperties', params: { additionalProperty: 'x'.repeat(100_000) } })
  expect(describeSchemaErrors([long, error({})])).toHaveLength(1_000 + '; the value must be object'.length)
})
