import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { cpuOf } from '../../../test/support/thread-cpu.ts'
import { SchemaThreads } from './schema-threads.ts'

const options = { maxThreads: 1, maxWaiting: { perCustomer: 100, total: 1_000 } }
const threads = new SchemaThreads(options)
afterAll(() => threads.stop())
let own: SchemaThreads | undefined
afterEach(() => own?.stop())
const start = (more: object = {}): SchemaThreads => {
  own = new SchemaThreads({ ...options, ...more })
  return own
}

type Schema = ReturnType<typeof output>
const acme = { customerId: 'acme' }
const output = (schema: object) => ({ kind: 'output' as const, schema: JSON.stringify(schema) })
const input = (schema: object) => ({ kind: 'input' as const, schema: JSON.stringify(schema) })
const check = (schema: object, value: unknown) => threads.check(output(schema), value, acme)
const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index))

/** Valid, but it takes a minute to check a long list. */
const slow = { items: { anyOf: [...list(450, (n) => ({ type: 'string', minLength: n })), true] } }
const longList = list(100_000, (n) => n)

describe('a value', () => {
  test('that matches has no errors', async () => {
    expect(await check({ type: 'object', required: ['a'] }, { a: 1 })).toEqual({ errors: [], value: { a: 1 } })
  })

  test('that does not match has its errors', async () => {
    expect(await check({ properties: { a: { type: 'number' } } }, { a: 'x' })).toMatchObject({
      errors: [{ instancePath: '/a', keyword: 'type', message: 'must be number' }],
    })
    // Each is named once.
    expect(await check({ anyOf: list(50, () => ({ type: 'string' })) }, 1)).toMatchObject({ errors: { length: 2 } })
  })

  test('of an operator gets its defaults', async () => {
    const schema = input({ type: 'object', properties: { a: { default: 1 } } })
    expect(await threads.check(schema, { b: 2 }, acme)).toEqual({ errors: [], value: { a: 1, b: 2 } })
  })

  test.each([
    ['is too long', 'x'.repeat(1_048_576)],
    ['nests too deeply', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
  ])('that %s is not checked', async (_, value) => {
    expect(await check({}, value)).toEqual({ ended: 'too_large' })
  })

  test('that leads a schema deep into itself is not checked', async () => {
    // Each level of the value is one of 50 calls.
    const next = (n: number) => ({ $ref: `#/$defs/d${n}` })
    const $defs = Object.fromEntries(
      list(50, (n) => [`d${n}`, n < 49 ? { minItems: 0, ...next(n + 1) } : { items: next(0) }]),
    )
    const schema = input({ ...next(0), $defs })
    const deep = JSON.parse('['.repeat(2_500) + ']'.repeat(2_500))
    expect(await threads.check(schema, deep, acme)).toEqual({ ended: 'too_large' })
    expect(await threads.check(schema, [[[]]], acme)).toMatchObject({ errors: [] })
  })
})

describe('a schema', () => {
  test.each([
    [output({ type: 'nonsense' }), 'schema is invalid: data/type must be'],
    [output({ items: [{}] }), 'schema is invalid: data/items must be'],
    [output({ pattern: '(?=a)' }), 'error parsing regexp: invalid or unsupported Perl syntax'],
    [input({ tpye: 'object' }), 'strict mode: unknown keyword: "tpye"'],
    [input({ pattern: '(?=a)' }), 'error parsing regexp'],
    [input({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'x' }), 'schema is invalid'],
  ])('that is invalid is refused: case %#', async (schema, problem) => {
    expect(await threads.compile(schema, acme)).toEqual({ problem: expect.stringContaining(problem) })
    expect(await threads.check(schema, 1, acme)).toEqual({ problem: expect.stringContaining(problem) })
  })

  test('may have the id of another one, and use the schema of schemas', async () => {
    const schemaOfSchemas = 'https://json-schema.org/draft/2020-12/schema'
    for (const type of ['string', 'number'])
      expect(await threads.compile(input({ $id: 'https://a.example/x', type }), acme)).toBe('compiled')
    const schema = input({ $schema: schemaOfSchemas, properties: { shape: { $ref: schemaOfSchemas } } })
    expect(await threads.check(schema, { shape: { type: 'string' } }, acme)).toMatchObject({ errors: [] })
    expect(await threads.check(schema, { shape: { type: 'nonsense' } }, acme)).not.toMatchObject({ errors: [] })
  })

  test('that is known to compile needs no thread', async () => {
    const mine = start({ maxKnown: 2 })
    const [first, second, third] = list(3, (n) => output({ const: n })) as [Schema, Schema, Schema]
    for (const schema of [first, second, first, third]) expect(await mine.compile(schema, acme)).toBe('compiled')
    await mine.stop()
    for (const schema of [first, third]) expect(await mine.compile(schema, acme)).toBe('compiled')
    expect(mine.startedThreads).toBe(1)
    expect(await mine.compile(second, acme)).toBe('compiled')
    expect(mine.startedThreads).toBe(2)
  })

  test('of many requests at once is compiled once', async () => {
    const mine = start({ maxWaiting: { perCustomer: 1, total: 1 } })
    const schema = output({ type: 'string' })
    const compiled = await Promise.all(list(50, () => mine.compile(schema, acme)))
    expect(new Set(compiled)).toEqual(new Set(['compiled']))
  })

  test('is compiled again for a value when others have taken its place', async () => {
    const one = output({ type: 'string' })
    expect(await threads.check(one, 'x', acme)).toMatchObject({ errors: [] })
    for (const n of list(20, (index) => index))
      await threads.compile(output({ enum: list(10_000, (item) => `${n} ${item}`) }), acme)
    expect(await threads.check(one, 1, acme)).toMatchObject({ errors: [{ keyword: 'type' }] })
  })
})

describe('the errors of a value', () => {
  const properties = { a: { type: 'number' }, b: { type: 'string' }, c: { enum: [1, 2] } }

  test('are all named, up to 20', async () => {
    expect(await check({ type: 'object', required: ['d'], properties }, { a: 'x', b: 1, c: 3 })).toMatchObject({
      errors: [{ keyword: 'required' }, { instancePath: '/a' }, { instancePath: '/b' }, { instancePath: '/c' }],
    })
    const many = await check(
      { items: { type: 'number' } },
      list(100, () => 'x'),
    )
    expect('errors' in many && many.errors.length).toBe(20)
  })

  test('of a large value or a large schema are the first ones, in as little memory as before', async () => {
    const mine = start({ jobSeconds: 20, memoryMebibytes: 24 })
    const branches = list(400, (n) => ({ const: n }))
    const outcome = await mine.check(
      output({ items: { anyOf: branches } }),
      list(50_000, () => 'x'),
      acme,
    )
    expect(outcome).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ instancePath: '/0' })]) })
    expect(mine.startedThreads).toBe(1)
  })

  test('of a pattern that is too expensive to check twice are the first ones', async () => {
    const mine = start({ maxPatternSteps: 10_000 })
    const schema = { items: { pattern: '^(?:a?){50}b$' } }
    const value = list(40, () => 'a'.repeat(20))
    expect(await mine.check(output(schema), value, acme)).toMatchObject({ errors: [{ instancePath: '/0' }] })
  })
})

describe('patterns', () => {
  test('match anywhere, and in a time that is linear in the text', async () => {
    expect(await check({ pattern: 'b+' }, 'abbc')).toMatchObject({ errors: [] })
    expect(await check({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`)).toMatchObject({
      errors: [{ keyword: 'pattern' }],
    })
    expect(await check({ pattern: '(?:x?){500}[yz]$' }, 'x'.repeat(4_000))).toMatchObject({
      errors: [{ keyword: 'pattern' }],
    })
  })

  test.each([
    ['one long text', { pattern: '(?:x?){500}[yz]$' }, 'x'.repeat(60_000)],
    ['many texts', { items: { not: { pattern: '(?:x?){500}[yz]$' } } }, list(1_000, () => 'x'.repeat(60))],
    [
      'many keys',
      { propertyNames: { not: { pattern: '(?:x?){500}[yz]$' } } },
      Object.fromEntries(list(9_000, (n) => [`x${n}`, 1])),
    ],
  ])('that would take too many steps for %s are refused at once', async (_, schema, value) => {
    expect(await check(schema, value)).toEqual({ ended: 'too_expensive' })
  })
})

describe('the event loop goes on', () => {
  test('while a check takes too long, and the next job gets a new thread', async () => {
    const mine = start({ jobSeconds: 2 })
    // To send the same value is the work that this thread has anyway.
    const sending = await cpuOf(() => mine.check(output({}), longList, acme))
    const checking = await cpuOf(async () => {
      expect(await mine.check(output(slow), longList, acme)).toEqual({ ended: 'timed_out' })
    })
    expect(checking).toBeLessThan(sending * 2 + 100)
    expect(await mine.check(output({}), 1, acme)).toMatchObject({ errors: [] })
    expect(mine.startedThreads).toBe(2)
  })

  test('while a schema takes too long to compile, or too much memory', async () => {
    const mine = start({ jobSeconds: 3 })
    await mine.compile(output({}), acme)
    const large = output({ pattern: 'a{0,1000}'.repeat(400) })
    const cpu = await cpuOf(async () => {
      expect(await mine.compile(large, acme)).toEqual({ ended: expect.stringMatching(/crashed|timed_out/) })
    })
    expect(cpu).toBeLessThan(200)
    expect(await mine.compile(output({ type: 'string' }), acme)).toBe('compiled')
  })
})

test('a job whose thread dies is tried once more, and then has an end', async () => {
  const mine = start({ jobSeconds: 60, memoryMebibytes: 24 })
  const schema = output({ pattern: 'a{0,1000}'.repeat(100) })
  expect(await mine.compile(schema, acme)).toEqual({ ended: 'crashed' })
  expect(mine.startedThreads).toBe(2)
  expect(await mine.compile(output({}), acme)).toBe('compiled')
})
