import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { WordEmbedder } from '../../test/support/embedder.ts'
import { newUuid } from '../runtime/ids.ts'
import { Database } from '../store/postgres/database.ts'
import type { Embedder } from './embedders/embedder.ts'
import { NoteSaver } from './note-saver.ts'
import { recallNotes } from './recall-notes.ts'
import { createMemoryParts } from './search/memory-parts.ts'

let fresh: FreshDatabase
const { signal } = new AbortController()
const scope = { customerId: 'acme', workspaceId: null, subjectId: null }

beforeAll(async () => {
  fresh = await freshDatabase()
  const parts = createMemoryParts({ database: fresh.database, embedder: new WordEmbedder() })
  for (const content of ['Invoices are paid on Fridays.', 'The garden is watered at dawn.']) {
    const by = { ...scope, runId: newUuid(), idempotencyKey: content, signal }
    await new NoteSaver(parts).save({ title: content.slice(0, 8), content, kind: 'fact', tags: [] }, by)
  }
})
afterAll(() => fresh.drop())

interface Situation {
  readonly embedder?: Embedder
  readonly database?: Database
  readonly customerId?: string
  readonly seconds?: number
}

async function recall(text: string, situation: Situation = {}) {
  const { embedder = new WordEmbedder(), database = fresh.database, customerId = 'acme', seconds = 5 } = situation
  const failures: unknown[] = []
  const options = { signal, onFailure: (error: unknown) => void failures.push(error), seconds }
  const parts = createMemoryParts({ database, embedder })
  const notes = await recallNotes(parts, { ...scope, customerId, text }, options)
  return { contents: notes.map(({ content }) => content), failures }
}

test('notes about the task are returned, and no others', async () => {
  expect((await recall('pay the invoices on a Friday')).contents).toEqual(['Invoices are paid on Fridays.'])
  expect((await recall('write a poem')).contents).toEqual([])
})

test('a customer without memory costs the model nothing', async () => {
  const embedder = new WordEmbedder()
  expect((await recall('invoices', { embedder, customerId: 'other' })).contents).toEqual([])
  expect(embedder.texts).toEqual([])
})

test('when it takes too long the agent goes without', async () => {
  const embedder = new WordEmbedder()
  embedder.held = new Promise(() => undefined)
  expect(await recall('invoices', { embedder, seconds: 0.05 })).toEqual({ contents: [], failures: [] })
})

test('when it takes too long the search ends, too', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const query = vi.spyOn(fresh.database, 'query')
  const signals: (AbortSignal | undefined)[] = []
  let recalled: ReturnType<typeof recall> | undefined
  await new Promise<void>((begun) => {
    const embed: Embedder['embed'] = (_, signal) => {
      signals.push(signal)
      begun()
      return new Promise(() => undefined)
    }
    const embedder = { model: 'test/words', dimensions: 64, embed, close: async () => undefined }
    recalled = recall('invoices', { embedder, seconds: 5 })
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await recalled).toEqual({ contents: [], failures: [] })
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  await Promise.all(query.mock.results.map(({ value }) => value))
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
  expect(query.mock.calls.map(([{ name }]) => name)).toEqual(['read-memory-version', 'search-memory-words'])
  query.mockRestore()
  vi.useRealTimers()
})

test('without the database there are no notes, and the failure is reported', async () => {
  const closed = new Database({ connection: fresh.connection, maxConnections: 1, applicationName: 'closed' })
  closed.query = () => Promise.reject(new Error('gone'))
  expect(await recall('invoices', { database: closed })).toEqual({ contents: [], failures: [new Error('gone')] })
  await closed.close()
})
