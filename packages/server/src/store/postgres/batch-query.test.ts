// What goes in comes out of a real PostgreSQL: every type, nulls, and sizes around the limits of the encoding.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import type { encodings } from './array-encoding.ts'
import { type BatchStatement, columnOf } from './batch-query.ts'
import { Database } from './database.ts'

let fresh: FreshDatabase
let pipeline: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  pipeline = new Database({
    connection: fresh.connection,
    maxConnections: 1,
    applicationName: 'runwright test',
    pipeline: true,
  })
})
afterAll(async () => {
  await pipeline.close()
  await fresh.drop()
})

type Type = keyof typeof encodings

const unnest = (type: Type): BatchStatement<unknown> => ({
  name: `unnest ${type}`,
  text: `select value from unnest($1::${type}[]) with ordinality as u(value, n) order by n`,
  columns: [columnOf<unknown>()(type, (value) => value as never)],
})

async function roundTrip(type: Type, column: readonly unknown[], database = pipeline): Promise<unknown[]> {
  const rows = await database.runBatch<{ value: unknown }, unknown>(unnest(type), column)
  return rows.map(({ value }) => value)
}

const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
const storableJson = fc.json({ stringUnit: 'grapheme' }).filter((json) => !json.includes('\\u0000'))
const bytes = fc.uint8Array().map((values) => Buffer.from(values))

test.each([
  ['text', storable],
  ['json', storableJson],
  ['uuid', fc.uuid()],
  ['bytea', bytes],
  ['bool', fc.boolean()],
  ['int4', fc.integer()],
  ['int8', fc.maxSafeInteger()],
  ['float8', fc.double({ noNaN: true })],
] as const)('columns of %s', async (type, value) => {
  const column = fc.array(fc.option<unknown>(value), { maxLength: 40 })
  const property = fc.asyncProperty(column, value, async (elements, present) => {
    // At least one value: a column of nulls is sent as null.
    const sent = [...elements, present]
    expect(await roundTrip(type, sent)).toEqual(sent)
  })
  await fc.assert(property, { numRuns: 60 })
})

test.each([46, 47, 48, 49, 333, 334, 1_000, 1_001, 21_000, 22_000, 70_000, 700_000])(
  'texts of %i characters, of one to four bytes',
  async (length) => {
    const most = 'a'.repeat(length - 1)
    const column = ['あ'.repeat(length), `${most}a`, `${most}é`, `é${most}`, null, '😀'.repeat(length / 2)]
    expect(await roundTrip('text', column)).toEqual(column)
    expect(await roundTrip('text', ['short'])).toEqual(['short'])
  },
)

test('a column of nulls is null, and unnest fills it up', async () => {
  const column = columnOf<number>()
  const statement = {
    name: 'two columns',
    text: 'select n, nothing, $3::text[] is null as is_null from unnest($1::int4[], $2::text[]) as c(n, nothing)',
    columns: [column('int4', (n) => n), column('text', () => undefined), column('text', () => null)],
  }
  expect(await pipeline.runBatch(statement, [1, 2])).toEqual([
    { n: 1, nothing: null, is_null: true },
    { n: 2, nothing: null, is_null: true },
  ])
})

test('batches in flight over one connection each get their own answer', async () => {
  const sent = Array.from({ length: 40 }, (_, n) => [n, `text ${n}`, null])
  const answers = await Promise.all(sent.map(([n]) => roundTrip('int4', [n, null])))
  expect(answers).toEqual(sent.map(([n]) => [n, null]))
})

test('a batch that fails does not affect others, and the statement can be used again', async () => {
  const statement: BatchStatement<number> = {
    name: 'divide',
    text: 'select 12 / divisor as quotient from unnest($1::int4[]) as u(divisor)',
    columns: [columnOf<number>()('int4', (n) => n)],
  }
  const answers = await Promise.allSettled([3, 0, 4].map((divisor) => pipeline.runBatch(statement, [divisor])))
  expect(answers).toEqual([
    { status: 'fulfilled', value: [{ quotient: 4 }] },
    { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
    { status: 'fulfilled', value: [{ quotient: 3 }] },
  ])
  expect(await pipeline.runBatch(statement, [6])).toEqual([{ quotient: 2 }])
})

test('a value that cannot be encoded fails before anything is sent', async () => {
  await expect(roundTrip('int8', [1.5])).rejects.toThrow(RangeError)
  expect(await roundTrip('int8', [1])).toEqual([1])
})

test('a connection that is not shared accepts batches, too', async () => {
  expect(await roundTrip('text', ['one', 'two'], fresh.database)).toEqual(['one', 'two'])
  expect(await roundTrip('text', ['three'], fresh.database)).toEqual(['three'])
})
