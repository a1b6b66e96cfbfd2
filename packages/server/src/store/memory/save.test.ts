import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newUuid } from '../../runtime/ids.ts'
import { findMemoryItem } from './items.ts'
import { type NewMemoryItem, saveMemoryItem } from './save.ts'
import { readMemoryVersion } from './version.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  await fresh.database.run({ text: 'truncate memory_items, memory_versions' })
})
afterAll(() => fresh.drop())

const newItem = (changes: Partial<NewMemoryItem> = {}): NewMemoryItem => ({
  id: newUuid(),
  customerId: 'acme',
  workspaceId: 'w',
  subjectId: 's',
  runId: newUuid(),
  kind: 'fact',
  title: 'Limit',
  content: 'It is 1,000.',
  tags: ['a', 'b'],
  embedding: undefined,
  ...changes,
})

const none = async () => []

async function save(changes: Partial<NewMemoryItem> = {}, repeats: readonly string[] = []): Promise<string> {
  const item = newItem(changes)
  await saveMemoryItem(fresh.database, item, async () => repeats)
  return item.id
}

const any = { workspaceId: undefined, subjectId: undefined, status: undefined, includeHarness: true }
const find = (id: string, customerId = 'acme') => findMemoryItem(fresh.database, id, { ...any, customerId })
const statusOf = async (id: string, customerId = 'acme') => (await find(id, customerId))?.status

test('an item is stored with all its fields', async () => {
  const embedding = { model: 'm', vector: Float32Array.of(0.5, -1, 0) }
  const item = newItem({ kind: 'preference', untrusted: true, embedding })
  await saveMemoryItem(fresh.database, item, none)
  const { id, workspaceId, subjectId, runId, title, content, tags } = item
  expect(await find(id)).toEqual({
    ...{ id, workspaceId, subjectId, runId, title, content, tags },
    kind: 'preference',
    status: 'active',
    harness: false,
    confidence: null,
    untrusted: true,
    supersededBy: null,
    embeddingModel: 'm',
    embedding: [0.5, -1, 0],
    createdAt: expect.any(Date),
    updatedAt: expect.any(Date),
  })
})

describe('an item with the same title', () => {
  test('replaces the old one', async () => {
    const old = await save()
    const id = await save({ content: 'It is 2,000.', kind: 'procedure' })
    expect(await find(old)).toMatchObject({ status: 'superseded', supersededBy: id })
    expect(await statusOf(id)).toBe('active')
  })

  test.each([
    ['another workspace', { workspaceId: 'v' }],
    ['no workspace', { workspaceId: null }],
    ['another subject', { subjectId: 't' }],
    ['no subject', { subjectId: null }],
    ['another customer', { customerId: 'other' }],
  ])('of %s stays beside it', async (_of, elsewhere: Partial<NewMemoryItem>) => {
    const id = await save(elsewhere)
    await save()
    expect(await statusOf(id, elsewhere.customerId)).toBe('active')
  })

  test('without labels replaces one without labels', async () => {
    const old = await save({ workspaceId: null, subjectId: null })
    await save({ workspaceId: null, subjectId: null })
    expect(await statusOf(old)).toBe('superseded')
  })

  test('does not replace items of the service or archived items', async () => {
    const harness = await save()
    await fresh.database.run({ text: 'update memory_items set harness = true' })
    const archived = await save()
    await fresh.database.run({ text: "update memory_items set status = 'archived' where not harness" })
    await save()
    expect([await statusOf(harness), await statusOf(archived)]).toEqual(['active', 'archived'])
  })
})

test('an item with the same meaning is superseded, too, but not one with other labels', async () => {
  const [repeat, elsewhere] = [await save({ title: 'The limit' }), await save({ title: 'x', subjectId: 't' })]
  const id = await save({}, [repeat, elsewhere])
  expect(await find(repeat)).toMatchObject({ status: 'superseded', supersededBy: id })
  expect(await statusOf(elsewhere)).toBe('active')
})

test('a repeated save has no effect, also when the item has changed since', async () => {
  const first = newItem()
  await saveMemoryItem(fresh.database, first, none)
  const second = await save({ content: 'newer' })
  await saveMemoryItem(fresh.database, first, none)
  expect(await statusOf(first.id)).toBe('superseded')
  expect(await statusOf(second)).toBe('active')
})

test('of many saves of one title at once exactly one stays active, and each names its successor', async () => {
  const database = fresh.open(20)
  const items = Array.from({ length: 20 }, (_, n) => newItem({ content: `${n}` }))
  await Promise.all(items.map((item) => saveMemoryItem(database, item, none)))
  const rows = await Promise.all(items.map(({ id }) => find(id)))
  expect(rows.filter((row) => row?.status === 'active')).toHaveLength(1)
  expect(new Set(rows.map((row) => row?.supersededBy)).size).toBe(20)
})

test('repeats are searched under the lock, when everything before is committed', async () => {
  const seen: number[] = []
  const database = fresh.open(10)
  const saves = Array.from({ length: 10 }, (_, n) =>
    saveMemoryItem(database, newItem({ title: `${n}` }), async (reader, version) => {
      seen.push(version)
      const [row] = await reader.query<{ count: number }>({ text: 'select count(*) as count from memory_items' })
      expect(row?.count).toBe(version)
      return []
    }),
  )
  await Promise.all(saves)
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(await readMemoryVersion(fresh.database, 'acme')).toBe(10)
})
