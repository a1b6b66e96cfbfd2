// What goes in comes out of a real PostgreSQL: every type, nulls, and sizes around the limits of the encoding.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { arrayParameter } from './array-parameter.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

async function roundTrip(type: keyof typeof arrayParameter, parameter: Buffer | null): Promise<unknown[]> {
  const text = `select value from unnest($1::${type}[]) with ordinality as u(value, n) order by n`
  return (await fresh.database.query<{ value: unknown }>({ text, values: [parameter] })).map(({ value }) => value)
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
  const encode = arrayParameter[type] as (column: readonly unknown[]) => Buffer | null
  const column = fc.array(fc.option<unknown>(value), { maxLength: 40 })
  const property = fc.asyncProperty(column, value, async (elements, present) => {
    // At least one value: a column of nothing but nulls is no array at all.
    const sent = [...elements, present]
    expect(await roundTrip(type, encode(sent))).toEqual(sent)
  })
  await fc.assert(property, { numRuns: 60 })
})

test.each([46, 47, 48, 49, 333, 334, 1_000, 1_001, 21_000, 22_000, 70_000])(
  'three texts of %i characters of three bytes',
  async (length) => {
    const most = 'a'.repeat(length - 1)
    const column = ['あ'.repeat(length), `${most}a`, `${most}é`, `é${most}`, null, '😀'.repeat(length / 2)]
    expect(await roundTrip('text', arrayParameter.text(column))).toEqual(column)
  },
)

test('an array stays as it is when the next one is made', async () => {
  const first = arrayParameter.text(['first'])
  arrayParameter.text(['second'])
  expect(await roundTrip('text', first)).toEqual(['first'])
})

test('a column of nothing but nulls is null, and unnest fills it up', async () => {
  expect(arrayParameter.text([null, undefined])).toBeNull()
  const text = 'select * from unnest($1::int4[], $2::text[]) as c(n, nothing)'
  const values = [arrayParameter.int4([1, 2]), arrayParameter.text([null, null])]
  expect(await fresh.database.query({ text, values })).toEqual([
    { n: 1, nothing: null },
    { n: 2, nothing: null },
  ])
})
