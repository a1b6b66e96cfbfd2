import { describe, expect, test } from 'vitest'
import { parsePlan } from './plan.ts'
import { readPlanSchemas } from './plan-schemas.ts'

const planOf = (...schemas: object[]) =>
  parsePlan(
    { steps: schemas.map((schema, n) => ({ id: `s${n}`, instruction: 'Do it', output_schema: schema })) },
    new Set(),
  )

/** Resolves with how many times it was interrupted, too. */
function read(...schemas: object[]) {
  const reading = readPlanSchemas(planOf(...schemas))
  for (let parts = 0; ; parts += 1) {
    const part = reading.next()
    if (part.done) return { schemas: part.value, parts }
  }
}
const times = <Item>(count: number, item: (n: number) => Item) => Array.from({ length: count }, (_, n) => item(n))
const schemaOf = (parts: number) => (parts === 1 ? { type: 'string' } : { anyOf: times(parts - 1, () => ({})) })

test('each schema is to be compiled, and names its step', () => {
  const { schemas, parts } = read({ type: 'string' }, { type: 'number', title: 'n' })
  expect(schemas.map(({ text }) => text)).toEqual(['{"type":"string"}', '{"type":"number"}'])
  expect(schemas[1]?.refuse('cannot be used')).toMatchObject({
    reason: 'INPUT_PLAN_INVALID',
    message: 'plan.steps[1] ("s1"): output_schema cannot be used.',
  })
  expect(parts).toBe(2)
})

test('a schema that is too large is refused with its step and the place in the schema', () => {
  expect(() => read({}, { properties: { code: { pattern: 'a{0,1000}'.repeat(400) } } })).toThrow(
    'plan.steps[1] ("s1"): output_schema.properties.code.pattern is too large: the patterns of a schema may have 10000',
  )
})

describe('all schemas of a plan together may have', () => {
  const refused = 'plan.steps[10] ("s10"): its output_schema and those of earlier steps have more than'

  test('5,000 parts, and not one more', () => {
    const most = times(10, () => schemaOf(500))
    expect(read(...most).schemas).toHaveLength(10)
    expect(() => read(...most, schemaOf(1))).toThrow(`${refused} 5,000 parts together.`)
  })

  test('50,000 instructions in their patterns', () => {
    const most = times(10, () => ({ pattern: 'a{1000}'.repeat(5) }))
    expect(read(...most).schemas).toHaveLength(10)
    expect(() => read(...most, { pattern: 'a' })).toThrow(`${refused} 50,000 instructions in their patterns together.`)
  })

  test('1,048,576 characters', () => {
    const large = { anyOf: times(4, () => ({ $ref: '#/$defs/a' })), $defs: { a: { const: 'x'.repeat(30_000) } } }
    expect(read(...times(8, () => large)).schemas).toHaveLength(8)
    expect(() => read(...times(9, () => large))).toThrow('1,048,576 characters together.')
  })
})
