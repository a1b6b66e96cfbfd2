import { describe, expect, test } from 'vitest'
import { type OutputSchema, readOutputSchema } from './output-schema.ts'

const price = {
  type: 'object',
  required: ['price'],
  additionalProperties: false,
  properties: { price: { type: 'number' }, currency: { $ref: '#/$defs/currency' } },
  $defs: { currency: { type: 'string', pattern: '^[A-Z]{3}$' } },
}
const read = (schema: object): OutputSchema => {
  const compiled = readOutputSchema(schema)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled
}

describe('an output schema', () => {
  test.each([
    [{ price: 1 }, undefined],
    [{ price: 1, currency: 'EUR' }, undefined],
    [{}, "the value must have required property 'price'"],
    [{ price: 'much' }, 'price must be number'],
    [{ price: 1, currency: 'euro' }, 'currency must match pattern "^[A-Z]{3}$"'],
    [{ price: 1, tip: 2 }, 'the value has an unknown property "tip"'],
    [[], 'the value must be object'],
  ])('finds in %j: %j', (value, problem) => {
    expect(read(price).findProblem(value)).toBe(problem)
  })

  test('is kept as it was given, references and all', () => {
    expect(read(price).schema).toBe(price)
  })

  test.each([
    ['text', 'must be a JSON Schema object'],
    [[], 'must be a JSON Schema object'],
    [{ type: 'nonsense' }, expect.stringContaining('cannot be used')],
    [{ pattern: '(' }, expect.stringContaining('cannot be used')],
    [{ $ref: '#/$defs/missing' }, 'has a reference that leads nowhere: "#/$defs/missing"'],
    [{ $ref: 'https://example.com/schema' }, expect.stringContaining('leads nowhere')],
    [
      { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } },
      expect.stringContaining('refers to itself'),
    ],
    [{ enum: Array.from({ length: 9_000 }, () => 'word') }, 'is longer than 32768 characters'],
    [{ anyOf: Array.from({ length: 501 }, () => ({})) }, 'has more than 500 parts'],
  ])('case %# is refused: %j', (schema, problem) => {
    expect(readOutputSchema(schema)).toEqual(problem)
  })

  test('a pattern that would take a backtracking engine for ever takes a moment', () => {
    const slow = read({ type: 'string', pattern: '^(a+)+$' })
    expect(slow.findProblem(`${'a'.repeat(50_000)}!`)).toContain('must match pattern')
  })
})
