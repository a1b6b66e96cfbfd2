// The three ways to find the closest items must give the same result.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { wordVector } from '../../../test/support/embedder.ts'
import { databaseWithPgvector } from '../../../test/support/pgvector.ts'
import { newUuid } from '../../runtime/ids.ts'
import { areaInScope, areaOf, type MemoryArea } from '../../store/memory/area.ts'
import { preparePgvector } from '../../store/memory/pgvector.ts'
import { saveMemoryItems } from '../../store/memory/save.ts'
import type { Database } from '../../store/postgres/database.ts'
import { NearestItems } from './nearest-items.ts'
import { VectorCache } from './vector-cache.ts'

let fresh: FreshDatabase
let version = 0
const model = 'm'
const words = ['red', 'green', 'blue', 'car', 'house', 'tree', 'paid', 'open']
const titleOf = (n: number) => `${words[n % 8]} ${words[(n >> 3) % 8]} ${n}`
const labels = [
  { workspaceId: null, subjectId: null },
  { workspaceId: 'w', subjectId: null },
  { workspaceId: 'w', subjectId: 's' },
  { workspaceId: 'v', subjectId: 's' },
]

async function save(database: Database, n: number, customerId = 'acme', savedModel = model): Promise<void> {
  const title = titleOf(n)
  const place = { customerId, ...labels[n % 4], kind: n % 5 === 0 ? ('procedure' as const) : ('fact' as const) }
  const embedding = { model: savedModel, vector: wordVector(title) }
  const item = { id: newUuid(), workspaceId: null, subjectId: null, runId: newUuid(), ...place, title, content: '-' }
  await saveMemoryItems(database, [{ ...item, tags: [], embedding }], async () => [])
  version += 1
}

async function fill(database: Database): Promise<void> {
  version = 0
  for (let n = 0; n < 300; n += 1) await save(database, n)
  await save(database, 0)
  await save(database, 1, 'other')
  await save(database, 301, 'acme', 'another model')
}

beforeAll(async () => {
  fresh = await freshDatabase()
  await fill(fresh.database)
})
afterAll(() => fresh.drop())

const kept = () => new NearestItems({ model, cache: new VectorCache({ model }), hasPgvector: () => false })
const tooLarge = () => new VectorCache({ model, maxBytesPerCustomer: 0 })
const paged = () => new NearestItems({ model, cache: tooLarge(), hasPgvector: () => false })
const byPgvector = () => new NearestItems({ model, cache: tooLarge(), hasPgvector: () => true })

const queryFor = (area: MemoryArea, text: string) => ({
  area,
  vector: wordVector(text),
  limit: 20,
  minSimilarity: 0.1,
  version,
})

const scope = { customerId: 'acme', workspaceId: 'w', subjectId: 's' }
const areas: [string, MemoryArea][] = [
  ['what a run with labels may see', areaInScope(scope)],
  ['what a run without labels may see', areaInScope({ ...scope, workspaceId: null, subjectId: null })],
  ['one place and kind', areaOf({ ...scope, kind: 'fact' })],
  ['another customer’s', areaInScope({ ...scope, customerId: 'other' })],
]

async function expectSame(
  database: Database,
  [one, other]: [NearestItems, NearestItems],
  area: MemoryArea,
): Promise<void> {
  for (const text of ['red house', 'paid 17', 'tree']) {
    const [ours, theirs] = [
      await one.find(database, queryFor(area, text)),
      await other.find(database, queryFor(area, text)),
    ]
    expect(theirs.map(({ similarity }) => similarity.toFixed(4))).toEqual(
      ours.map(({ similarity }) => similarity.toFixed(4)),
    )
    // Ties may be in a different order because of rounding.
    const clear = ours.filter(({ similarity }) => similarity - (ours.at(-1)?.similarity ?? 0) > 1e-4)
    expect(theirs.map(({ id }) => id)).toEqual(expect.arrayContaining(clear.map(({ id }) => id)))
  }
}

test.each(areas)('%s is the same read page by page as from the cache', (_name, area) =>
  expectSame(fresh.database, [kept(), paged()], area),
)

test('a run sees items with its labels and items without labels, of its own customer', async () => {
  const found = await kept().find(fresh.database, {
    ...queryFor(areaInScope(scope), 'red'),
    minSimilarity: -1,
    limit: 999,
  })
  const rows = await fresh.database.query<{ place: string }>({
    text: `select distinct customer_id || coalesce(workspace_id, '-') || coalesce(subject_id, '-') as place
           from memory_items where id = any($1)`,
    values: [found.map(({ id }) => id)],
  })
  expect(rows.map(({ place }) => place).toSorted()).toEqual(['acme--', 'acmew-', 'acmews'])
  expect(found).toHaveLength(225)
})

describe('with pgvector', () => {
  let database: Database
  beforeAll(async () => {
    database = await databaseWithPgvector()
    expect(await preparePgvector(database)).toBe(true)
    await fill(database)
  }, 60_000)
  afterAll(() => database.close())

  test.each(areas)('%s is the same as from the cache, before and after it was filled', async (_name, area) => {
    await database.run({ text: 'truncate memory_pgvectors' })
    await expectSame(database, [kept(), byPgvector()], area)
    await save(database, 2)
    await expectSame(database, [kept(), byPgvector()], area)
  })
})

test('a server without pgvector is reported, and nothing is created', async () => {
  const [found] = await fresh.database.query({
    text: "select 1 from pg_available_extensions where name = 'vector'",
  })
  expect(await preparePgvector(fresh.database)).toBe(found !== undefined)
})
