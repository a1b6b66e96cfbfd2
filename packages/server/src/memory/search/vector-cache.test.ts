import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { wordVector } from '../../../test/support/embedder.ts'
import { operator } from '../../domain/actor.ts'
import { newUuid } from '../../runtime/ids.ts'
import { deleteMemoryItem } from '../../store/memory/delete.ts'
import type { MemoryReader } from '../../store/memory/reader.ts'
import { saveMemoryItems } from '../../store/memory/save.ts'
import { readMemoryVersion } from '../../store/memory/version.ts'
import type { Statement } from '../../store/postgres/database.ts'
import { VectorCache } from './vector-cache.ts'

let fresh: FreshDatabase
let reads: number
let reader: MemoryReader

beforeAll(async () => {
  fresh = await freshDatabase()
  reader = {
    query: (statement: Statement) => {
      if (statement.name === 'read-vector-changes') reads += 1
      return fresh.database.query(statement)
    },
  }
})
beforeEach(async () => {
  reads = 0
  await fresh.database.run({ text: 'truncate memory_items, memory_versions' })
})
afterAll(() => fresh.drop())

async function save(title: string, { customerId = 'acme', model = 'm' } = {}): Promise<string> {
  const id = newUuid()
  const item = { id, customerId, workspaceId: null, subjectId: null, runId: newUuid(), kind: 'fact' as const, tags: [] }
  const embedding = { model, vector: wordVector(title) }
  await saveMemoryItems(fresh.database, [{ ...item, title, content: '-', embedding }], async () => [])
  return id
}

const newCache = (options: { maxBytes?: number; maxBytesPerCustomer?: number } = {}) =>
  new VectorCache({ model: 'm', ...options })

async function idsIn(cache: VectorCache, customerId = 'acme'): Promise<string[]> {
  const version = await readMemoryVersion(fresh.database, customerId)
  const vectors = await cache.get({ customerId, version }, reader)
  const everything = { vector: wordVector('x'), isWanted: () => true, limit: 1_000, minSimilarity: -1 }
  return (vectors?.nearest(everything) ?? []).map(({ id }) => id).toSorted()
}

test('changes by another process or with another model are seen at the next use', async () => {
  const cache = newCache()
  expect(await idsIn(cache)).toEqual([])
  const first = await save('one')
  expect(await idsIn(cache)).toEqual([first])
  const second = await save('two')
  await save('three', { model: 'another' })
  expect(await idsIn(cache)).toEqual([first, second].toSorted())
  const newer = await save('one')
  expect(await idsIn(cache)).toEqual([second, newer].toSorted())
})

test('a deleted item is gone at the next use, also if a later change is seen with it', async () => {
  const [cache, other] = [newCache(), newCache()]
  const [first, second] = [await save('one'), await save('two')]
  expect(await idsIn(cache)).toEqual([first, second].toSorted())
  expect(await deleteMemoryItem(fresh.database, { customerId: 'acme', id: first, by: operator })).toBe(true)
  expect(await idsIn(cache)).toEqual([second])
  expect(await idsIn(other)).toEqual([second])
  expect(await deleteMemoryItem(fresh.database, { customerId: 'acme', id: second, by: operator })).toBe(true)
  const third = await save('three')
  expect(await idsIn(cache)).toEqual([third])
  expect(await deleteMemoryItem(fresh.database, { customerId: 'globex', id: third, by: operator })).toBe(false)
})

test('while nothing changes nothing is read', async () => {
  const cache = newCache()
  await save('one')
  await idsIn(cache)
  reads = 0
  await idsIn(cache)
  expect(reads).toBe(0)
  await save('two')
  await idsIn(cache)
  expect(reads).toBe(1)
})

test('more than a page is read whole', async () => {
  const count = 601
  await fresh.database.run({
    text: `insert into memory_items (id, customer_id, kind, title, content, version, embedding_model, embedding_bytes, created_at, updated_at)
           select lpad(n::text, 32, '0')::uuid, 'acme', 'fact', n::text, '', n % 3, 'm', '\\x0000803f', now(), now()
           from generate_series(1, $1) n`,
    values: [count],
  })
  await fresh.database.run({ text: "insert into memory_versions values ('acme', 2)" })
  const vectors = await newCache().get({ customerId: 'acme', version: 2 }, reader)
  expect(vectors?.size).toBe(count)
})

test('concurrent callers share one read', async () => {
  const cache = newCache()
  const id = await save('one')
  const found = await Promise.all(Array.from({ length: 10 }, () => idsIn(cache)))
  expect(found).toEqual(Array.from({ length: 10 }, () => [id]))
  expect(reads).toBe(1)
})

test('a reader that holds the lock reads for itself', async () => {
  const cache = newCache()
  await save('one')
  const wanted = { customerId: 'acme', version: 1 }
  const never: MemoryReader = { query: () => new Promise(() => undefined) }
  void cache.get(wanted, never)
  expect((await cache.getUnderLock(wanted, reader))?.size).toBe(1)
})

test('no customer sees the items of another', async () => {
  const cache = newCache()
  const [ours, theirs] = [await save('one'), await save('one', { customerId: 'other' })]
  expect(await idsIn(cache)).toEqual([ours])
  expect(await idsIn(cache, 'other')).toEqual([theirs])
})

test('the customer that was asked about longest ago makes room for others', async () => {
  const cache = newCache({ maxBytes: 3_500, maxBytesPerCustomer: 2_000 })
  for (const customerId of ['a', 'b', 'c']) await save('one', { customerId })
  for (const customerId of ['a', 'b', 'a', 'c']) await idsIn(cache, customerId)
  expect(cache.bytes).toBeLessThanOrEqual(3_500)
  reads = 0
  await idsIn(cache, 'a')
  expect(reads).toBe(0)
  await idsIn(cache, 'b')
  expect(reads).toBe(1)
})

test('a customer with too much is not kept, and not read again', async () => {
  const cache = newCache({ maxBytesPerCustomer: 2_000 })
  for (const title of ['one', 'two', 'three']) await save(title)
  const wanted = { customerId: 'acme', version: 3 }
  expect(await cache.get(wanted, reader)).toBeUndefined()
  reads = 0
  await save('four')
  expect(await cache.get({ ...wanted, version: 4 }, reader)).toBeUndefined()
  expect(await cache.getUnderLock({ ...wanted, version: 4 }, reader)).toBeUndefined()
  expect(reads).toBe(0)
  expect(cache.bytes).toBeLessThan(2_000)
})

test('a read that failed is made again', async () => {
  const cache = newCache()
  const id = await save('one')
  const broken: MemoryReader = { query: () => Promise.reject(new Error('gone')) }
  await expect(cache.get({ customerId: 'acme', version: 1 }, broken)).rejects.toThrow('gone')
  expect(await idsIn(cache)).toEqual([id])
})
