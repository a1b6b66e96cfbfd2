import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newUuid } from '../../runtime/ids.ts'
import { findMemoryItem } from './items.ts'
import { type NewMemoryItem, saveMemoryItems } from './save.ts'
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
  await saveMemoryItems(fresh.database, [item], async () => repeats.map((replaced) => ({ by: item.id, replaced })))
  return item.id
}

const any = { workspaceId: undefined, subjectId: undefined, status: undefined, includeHarness: true }
const find = (id: string, customerId = 'acme') => findMemoryItem(fresh.database, id, { ...any, customerId })
const statusOf = async (id: string, customerId = 'acme') => (await find(id, customerId))?.status

test('an item is stored with all its fields', async () => {
  const embedding = { model: 'm', vector: Float32Array.of(0.5, -1, 0) }
  const item = newItem({ kind: 'preference', untrusted: true, embedding })
  await saveMemoryItems(fresh.database, [item], none)
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
  await saveMemoryItems(fresh.database, [first], none)
  const second = await save({ content: 'newer' })
  await saveMemoryItems(fresh.database, [first], none)
  expect(await statusOf(first.id)).toBe('superseded')
  expect(await statusOf(second)).toBe('active')
})

test('of many saves of one title at once exactly one stays active, and each names its successor', async () => {
  const database = fresh.open(20)
  const items = Array.from({ length: 20 }, (_, n) => newItem({ content: `${n}` }))
  await Promise.all(items.map((item) => saveMemoryItems(database, [item], none)))
  const rows = await Promise.all(items.map(({ id }) => find(id)))
  expect(rows.filter((row) => row?.status === 'active')).toHaveLength(1)
  expect(new Set(rows.map((row) => row?.supersededBy)).size).toBe(20)
})

test('repeats are searched under the lock, when everything before is committed', async () => {
  const seen: number[] = []
  const database = fresh.open(10)
  const saves = Array.from({ length: 10 }, (_, n) =>
    saveMemoryItems(database, [newItem({ title: `${n}` })], async (_items, { reader, version }) => {
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

describe('items that are saved together', () => {
  test('replace each other and stored ones in their order, under one version', async () => {
    const stored = await save({ title: 'Limit' })
    const items = [
      newItem({ title: 'Limit', content: '1' }),
      newItem({ title: 'Other' }),
      newItem({ title: 'Limit', content: '2' }),
      newItem({ title: 'The limit', content: '3' }),
      newItem({ title: 'Limit', content: '4', subjectId: 't' }),
    ] as const
    const [one, , two, three] = items
    await saveMemoryItems(fresh.database, items, async () => [{ by: three.id, replaced: two.id }])
    const rows = await Promise.all([stored, ...items.map(({ id }) => id)].map((id) => find(id)))
    expect(rows.map((row) => row?.supersededBy)).toEqual([one.id, two.id, null, three.id, null, null])
    expect(rows.map((row) => row?.status)).toEqual([
      ...['superseded', 'superseded', 'active', 'superseded', 'active', 'active'],
    ])
    const versions = await fresh.database.query({ text: 'select distinct version from memory_items' })
    expect(versions).toEqual([{ version: 2 }])
  })

  test('are saved once when one is among them twice, or was saved before', async () => {
    const [stored, twice] = [newItem({ title: 'a' }), newItem({ title: 'b' })]
    await saveMemoryItems(fresh.database, [stored], none)
    await saveMemoryItems(fresh.database, [twice, stored, { ...twice, content: 'again' }], none)
    expect([await statusOf(stored.id), (await find(twice.id))?.content]).toEqual(['active', 'It is 1,000.'])
  })
})
