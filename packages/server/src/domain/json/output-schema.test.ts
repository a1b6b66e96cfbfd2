import { showLocation } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { isSchemaProblem, type OutputSchema, readOutputSchema } from './output-schema.ts'

const read = (schema: unknown): OutputSchema => {
  const found = readOutputSchema(schema)
  if (isSchemaProblem(found)) throw new Error(`${showLocation(found.at)}: ${found.problem}`)
  return found
}
const compiled = (schema: unknown) => JSON.parse(read(schema).text)
const problemOf = (schema: unknown): string => {
  const found = readOutputSchema(schema)
  return isSchemaProblem(found) ? `${showLocation(['s', ...found.at])} ${found.problem}` : 'none'
}
const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index))

describe('what is compiled', () => {
  const price = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    description: 'A price.',
    required: ['price'],
    properties: { price: { type: 'number' }, currency: { $ref: '#/$defs/currency', title: 'Currency' } },
    $defs: { currency: { type: 'string', pattern: '^[A-Z]{3}$', format: 'x' } },
  }

  test('has no references, and no keywords that are not checked', () => {
    expect(compiled(price)).toEqual({
      type: 'object',
      required: ['price'],
      properties: { price: { type: 'number' }, currency: { type: 'string', pattern: '^[A-Z]{3}$' } },
    })
    expect(read(price)).toMatchObject({ schema: price, parts: 3, patternSize: 6 })
    expect(read(price).schema).toBe(price)
  })

  test('keeps properties that are named like keywords', () => {
    const named = { type: 'string' }
    const properties = { definitions: named, enum: { $ref: '#/definitions/a' }, uniqueItems: named, $ref: named }
    expect(compiled({ properties, definitions: { a: named } })).toEqual({
      properties: { definitions: named, enum: named, uniqueItems: named, $ref: named },
    })
  })

  test('has the schemas of all keywords', () => {
    const a = { $ref: '#/$defs/a' }
    const is = { type: 'null' }
    const schema = {
      ...{ additionalProperties: a, propertyNames: a, items: a, contains: a, not: a, if: a, else: false },
      ...{ allOf: [a, true], prefixItems: [a], patternProperties: { '^x': a }, dependencies: { b: a, c: ['d'] } },
      ...{ unevaluatedItems: a, unevaluatedProperties: a, enum: [a], const: a },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: a,
    }
    expect(compiled({ ...schema, $defs: { a: is } })).toEqual({
      ...{ additionalProperties: is, propertyNames: is, items: is, contains: is, not: is, if: is },
      ...{ else: false, allOf: [is, true], prefixItems: [is], patternProperties: { '^x': is } },
      ...{ dependencies: { b: is, c: ['d'] }, unevaluatedItems: is, unevaluatedProperties: is, enum: [a], const: a },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: is,
    })
  })

  test('has what stands beside a reference as well', () => {
    const $defs = { a: { properties: { x: {} } } }
    expect(compiled({ $ref: '#/$defs/a', properties: { y: {} }, $defs })).toEqual({
      properties: { y: {} },
      allOf: [{ properties: { x: {} } }],
    })
    expect(compiled({ $ref: '#/$defs/a', allOf: [{ minProperties: 1 }], $defs })).toEqual({
      allOf: [{ allOf: [{ minProperties: 1 }] }, { properties: { x: {} } }],
    })
  })

  test('may use a definition many times, and its pattern counts once', () => {
    const $defs = { 'a/b~c': { pattern: '^x{100}$' } }
    const { parts, patternSize } = read({ anyOf: list(100, () => ({ $ref: '#/$defs/a~1b~0c' })), $defs })
    expect([parts, patternSize]).toEqual([101, 102])
  })
})

const nested = (levels: number): object => (levels === 0 ? {} : { items: nested(levels - 1) })
/** Each definition uses the one before it twice. */
const doubling = (levels: number, first: object) =>
  Object.fromEntries(
    list(levels, (n) => [`d${n}`, n === 0 ? first : { anyOf: [`#/$defs/d${n - 1}`, `#/$defs/d${n - 1}`].map(refTo) }]),
  )
const refTo = ($ref: string) => ({ $ref })
const chain = (length: number) =>
  Object.fromEntries(list(length, (n) => [`d${n}`, n === 0 ? {} : { items: refTo(`#/$defs/d${n - 1}`) }]))

describe('a schema is refused', () => {
  test.each([
    ['text', 's must be a JSON Schema object'],
    [[], 's must be a JSON Schema object'],
    [{ $ref: '#/$defs/missing' }, 's has a reference that leads nowhere: "#/$defs/missing"'],
    [{ items: { $ref: '#/$defs/toString' }, $defs: {} }, 's.items has a reference that leads nowhere'],
    [{ $ref: '#/$defs/__proto__', $defs: {} }, 'leads nowhere'],
    [{ $ref: 'https://example.com/schema' }, 'leads nowhere'],
    [{ $ref: '#' }, 'leads nowhere'],
    [{ $ref: 5 }, 's has a $ref that is not a text'],
    [{ items: { $dynamicRef: '#' } }, 's.items has a $dynamicRef: only $ref is supported'],
    [{ $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }, 's.$defs.a.items refers to itself'],
    [{ enum: Array(9_000).fill('word') }, 's is longer than 32768 characters'],
    [{ anyOf: Array(501).fill({}) }, 's has more than 500 parts'],
    [nested(64), 'nests too deeply: at most 64 levels are allowed'],
    [{ ...refTo('#/$defs/d64'), $defs: chain(65) }, 's.$defs.d33.items nests too deeply'],
    [{ ...refTo('#/$defs/d30'), $defs: doubling(31, {}) }, 's has more than 500 parts'],
    [
      { anyOf: Array(100).fill(refTo('#/$defs/a')), $defs: { a: { const: 'x'.repeat(30_000) } } },
      's is longer than 131072 characters when its references are inlined',
    ],
  ])('case %#', (schema, problem) => {
    expect(problemOf(schema)).toContain(problem)
  })

  test.each([
    [{ properties: { code: { pattern: '(' } } }, 's.properties.code.pattern is not a regular expression in RE2 syntax'],
    [{ patternProperties: { '[': {} } }, 's.patternProperties["["] is not a regular expression'],
    [{ pattern: `${'('.repeat(101)}${')'.repeat(101)}` }, 's.pattern nests too deeply: at most 100 levels of groups'],
    [{ items: { pattern: 'a{0,1000}'.repeat(400) } }, 's.items.pattern is too large'],
    [{ patternProperties: { [`x${'a{0,1000}'.repeat(6)}`]: {} } }, '] is too large'],
    [{ anyOf: list(6, (n) => ({ pattern: `^${n}a{0,1000}$` })) }, 's.anyOf[4].pattern is too large'],
    [{ pattern: '(?:(?:(?:a{99}){99}){99}){99}' }, 's.pattern is too large'],
    [{ items: refTo('#/$defs/a'), $defs: { a: { pattern: 'a{1000}'.repeat(11) } } }, 's.$defs.a.pattern is too large'],
  ])('for its pattern, which is named: case %#', (schema, problem) => {
    expect(problemOf(schema)).toContain(problem)
  })

  test('that nests without end, or contains itself', () => {
    const deep = JSON.parse(`{"default":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    const circular: Record<string, unknown> = {}
    circular.items = circular
    expect(problemOf(deep)).toBe('s nests too deeply or contains itself')
    expect(problemOf(circular)).toBe('s nests too deeply or contains itself')
  })
})

test('a definition with many keywords is not read over and over', () => {
  let reads = 0
  const entries = list(2_000, (n) => [`x-${n}`, 1] as const)
  const a = new Proxy(Object.fromEntries(entries), {
    get: (target, key) => {
      if (typeof key === 'string' && key.startsWith('x-')) reads += 1
      return Reflect.get(target, key)
    },
  })
  expect(problemOf({ anyOf: list(400, () => refTo('#/$defs/a')), $defs: { a } })).toContain('is longer than 131072')
  // Once to measure the text, and then up to the limit.
  expect(reads).toBeLessThan(2_000 + 131_072 + 2_000)
})
