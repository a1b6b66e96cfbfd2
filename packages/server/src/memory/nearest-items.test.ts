// The three ways to find the closest items: they must agree.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { wordVector } from '../../test/support/embedder.ts'
import { newUuid } from '../runtime/ids.ts'
import { areaInScope, areaOf, type MemoryArea } from '../store/memory-area.ts'
import { preparePgvector } from '../store/memory-pgvector.ts'
import { saveMemoryItem } from '../store/memory-save.ts'
import { NearestItems } from './nearest-items.ts'
import { VectorCache } from './vector-cache.ts'

let fresh: FreshDatabase
let hasPgvector: boolean
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

async function save(n: number, customerId = 'acme', savedModel = model): Promise<void> {
  const title = titleOf(n)
  const place = { customerId, ...labels[n % 4], kind: n % 5 === 0 ? ('procedure' as const) : ('fact' as const) }
  const embedding = { model: savedModel, vector: wordVector(title) }
  const item = { id: newUuid(), workspaceId: null, subjectId: null, runId: newUuid(), ...place, title, content: '-' }
  await saveMemoryItem(fresh.database, { ...item, tags: [], embedding }, async () => [])
  version += 1
}

beforeAll(async () => {
  fresh = await freshDatabase()
  hasPgvector = await preparePgvector(fresh.database)
  for (let n = 0; n < 300; n += 1) await save(n)
  await save(0)
  await save(1, 'other')
  await save(301, 'acme', 'another model')
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

async function expectSame(one: NearestItems, other: NearestItems, area: MemoryArea): Promise<void> {
  for (const text of ['red house', 'paid 17', 'tree']) {
    const [ours, theirs] = [
      await one.find(fresh.database, queryFor(area, text)),
      await other.find(fresh.database, queryFor(area, text)),
    ]
    expect(theirs.map(({ similarity }) => similarity.toFixed(4))).toEqual(
      ours.map(({ similarity }) => similarity.toFixed(4)),
    )
    // Equals may change places by the last digit of a float.
    const clear = ours.filter(({ similarity }) => similarity - (ours.at(-1)?.similarity ?? 0) > 1e-4)
    expect(theirs.map(({ id }) => id)).toEqual(expect.arrayContaining(clear.map(({ id }) => id)))
  }
}

describe.each(areas)('%s', (_name, area) => {
  test('is the same read page by page as from the cache', () => expectSame(kept(), paged(), area))

  test('is the same by pgvector, before and after it was filled', async ({ skip }) => {
    if (!hasPgvector) skip('this PostgreSQL does not have pgvector')
    await fresh.database.run({ text: 'truncate memory_pgvectors' })
    await expectSame(kept(), byPgvector(), area)
    await save(2)
    await expectSame(kept(), byPgvector(), area)
  })
})

test('a run sees what has its labels and what has none, of its own customer', async () => {
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
