import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { jsonObject, published, queryInteger } from '../schemas/wire.ts'
import { toJsonSchemas } from './schemas.ts'

const print = (schema: z.ZodType, io: 'input' | 'output' = 'input') => toJsonSchemas({ schema }, io).byName.schema

const word = published(z.string().regex(/^a/), { type: 'string', minLength: 1 })

describe('a published schema replaces the generated one', () => {
  test.each([
    ['alone', word, { type: 'string', minLength: 1 }],
    ['when optional', word.optional(), { type: 'string', minLength: 1 }],
    ['when nullable', word.nullable(), { type: ['string', 'null'], minLength: 1 }],
    ['when nullable and optional', word.nullable().optional(), { type: ['string', 'null'], minLength: 1 }],
    ['when refined later', word.refine(() => true), { type: 'string', minLength: 1 }],
    [
      'when described later',
      word.optional().describe('A word'),
      { type: 'string', minLength: 1, description: 'A word' },
    ],
    [
      'when described before optional',
      word.describe('A word').optional(),
      { type: 'string', minLength: 1, description: 'A word' },
    ],
    ['in an array', z.array(word), { type: 'array', items: { type: 'string', minLength: 1 } }],
    ['when it transforms', queryInteger(1, 9).optional(), { type: 'integer', minimum: 1, maximum: 9 }],
    [
      'when given to the wrapper',
      z
        .unknown()
        .optional()
        .meta({ published: { type: 'array' } }),
      { type: 'array' },
    ],
  ])('%s', (_case, schema, expected) => {
    expect(print(schema)).toEqual(expected)
  })

  test('also if it is used twice', () => {
    const schema = z.object({ a: word.nullable(), b: word.nullable(), c: word })
    expect(print(schema)).toMatchObject({
      properties: {
        a: { type: ['string', 'null'], minLength: 1 },
        b: { type: ['string', 'null'], minLength: 1 },
        c: { type: 'string', minLength: 1 },
      },
    })
    expect(JSON.stringify(print(schema))).not.toContain('published')
  })
})

test('a schema with an id becomes a component, also through wrappers', () => {
  const named = z.object({ a: z.string() }).meta({ id: 'TestNamed' })
  const { byName, components } = toJsonSchemas({ plain: named, wrapped: named.nullable().optional() }, 'output')
  expect(byName).toEqual({
    plain: { $ref: '#/components/schemas/TestNamed' },
    wrapped: { anyOf: [{ $ref: '#/components/schemas/TestNamed' }, { type: 'null' }] },
  })
  expect(components.TestNamed).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })
})

test('a nullable enum keeps null separate from its values', () => {
  const schema = z.enum(['a', 'b']).nullable()
  expect(print(schema)).toEqual({ anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] })
})

test.each(['input', 'output'] as const)('as %s a strict object is closed and another one is open', (io) => {
  expect(print(z.strictObject({}), io)).toHaveProperty('additionalProperties', false)
  expect(print(z.object({}), io)).not.toHaveProperty('additionalProperties')
})

test('an integer of a request has the bounds that are checked, a returned one has none by default', () => {
  expect(print(z.int().min(1), 'input')).toEqual({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
  expect(print(z.int().min(1), 'output')).toEqual({ type: 'integer', minimum: 1 })
})

test('unknown is any JSON, a record any object', () => {
  expect(print(z.unknown())).toEqual({})
  expect(print(jsonObject)).toEqual({ type: 'object', additionalProperties: {} })
})
