import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { remember } from '../../test/support/drive.ts'
import { WordEmbedder, wordVector } from '../../test/support/embedder.ts'
import { fromWireId } from '../runtime/ids.ts'
import { findMemoryItem } from '../store/memory/items.ts'
import { readMemoryVersion } from '../store/memory/version.ts'
import { embedMemory } from './embed-memory.ts'

let fresh: FreshDatabase
let embedder: WordEmbedder

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  embedder = new WordEmbedder()
  await fresh.database.run({ text: 'truncate memory_items, memory_versions' })
})
afterAll(() => fresh.drop())

const embed = (signal = new AbortController().signal) => embedMemory({ database: fresh.database, embedder, signal })

async function find(id: string) {
  const filter = { workspaceId: undefined, subjectId: undefined, status: undefined, includeHarness: true }
  return findMemoryItem(fresh.database, fromWireId('mem', id) ?? '', { ...filter, customerId: 'acme' })
}

test('a model that does not answer does not hold up a stop', async () => {
  await remember(fresh.database, { title: 'a', content: 'b' })
  const stopping = new AbortController()
  const asked = new Promise<void>((resolve) => {
    embedder.embed = () => {
      resolve()
      return new Promise(() => undefined)
    }
  })
  const embedding = embed(stopping.signal)
  await asked
  stopping.abort()
  expect(await embedding).toEqual({ embedded: 0 })
})

test('an item without an embedding gets one, and the version rises for caches', async () => {
  const id = await remember(fresh.database, { title: 'a', content: 'b' })
  expect(await embed()).toEqual({ embedded: 1 })
  expect(await find(id)).toMatchObject({ embeddingModel: 'test/words', embedding: Array.from(wordVector('a\nb')) })
  expect(await readMemoryVersion(fresh.database, 'acme')).toBe(1)
})

test('an embedding of another model is replaced, whichever name comes first', async () => {
  const ids = [
    await remember(fresh.database, { embedding_model: 'a', embedding: [1, 2] }),
    await remember(fresh.database, { embedding_model: 'z', embedding: [1, 2] }),
  ]
  expect(await embed()).toEqual({ embedded: 2 })
  for (const id of ids) expect(await find(id)).toMatchObject({ embeddingModel: 'test/words' })
})

test('an item is embedded once, and items that are not searched are not embedded', async () => {
  await remember(fresh.database)
  await remember(fresh.database, { status: 'superseded' })
  await remember(fresh.database, { status: 'archived' })
  await remember(fresh.database, { harness: true, kind: 'episode' })
  expect(await embed()).toEqual({ embedded: 1 })
  expect(await embed()).toEqual({ embedded: 0 })
  expect(embedder.texts).toHaveLength(1)
})

test('one call embeds many items, of every customer', async () => {
  for (let n = 0; n < 20; n += 1) await remember(fresh.database, { customer_id: n % 2 === 0 ? 'acme' : 'other' })
  expect(await embed()).toEqual({ embedded: 20 })
  expect(await readMemoryVersion(fresh.database, 'other')).toBeGreaterThan(0)
})

test('when the model is not available, everything stays for the next call', async () => {
  const id = await remember(fresh.database)
  embedder.failure = new Error('away')
  await expect(embed()).rejects.toThrow('away')
  expect(await find(id)).toMatchObject({ embeddingModel: null, embedding: null })
  embedder.failure = undefined
  expect(await embed()).toEqual({ embedded: 1 })
})
