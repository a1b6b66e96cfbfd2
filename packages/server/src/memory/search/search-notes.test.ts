import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { remember } from '../../../test/support/drive.ts'
import { WordEmbedder } from '../../../test/support/embedder.ts'
import { newUuid } from '../../runtime/ids.ts'
import type { MemoryScope } from '../../store/memory/area.ts'
import { NoteSaver } from '../note-saver.ts'
import { createMemoryParts } from './memory-parts.ts'
import { searchNotes } from './search-notes.ts'

let fresh: FreshDatabase
const embedder = new WordEmbedder()
const { signal } = new AbortController()
const unlabelled: MemoryScope = { customerId: 'acme', workspaceId: null, subjectId: null }
const partsWith = (model = embedder) => createMemoryParts({ database: fresh.database, embedder: model })

const notes: [title: string, content: string, at?: Partial<MemoryScope>][] = [
  ['Invoices', 'Invoices are paid within thirty days.'],
  ['Backups', 'The database is copied every night.'],
  ['Invoices of w', 'Invoices of this workspace are paid at once.', { workspaceId: 'w' }],
  ['Invoices of w and s', 'Invoices of this person are paid at once.', { workspaceId: 'w', subjectId: 's' }],
  ['Invoices of s', 'Invoices of this subject are never paid.', { subjectId: 's' }],
  ['Foreign invoices', 'Invoices are paid by someone else.', { customerId: 'other' }],
]

beforeAll(async () => {
  fresh = await freshDatabase()
  for (const [title, content, at] of notes) {
    const by = { ...unlabelled, ...at, runId: newUuid(), idempotencyKey: title, signal }
    await new NoteSaver(partsWith()).save({ title, content, kind: 'fact', tags: [] }, by)
  }
  await remember(fresh.database, {
    title: 'Run about invoices',
    content: 'Invoices paid.',
    harness: true,
    kind: 'episode',
  })
  await remember(fresh.database, { title: 'Put away', content: 'Invoices paid.', status: 'archived' })
})
afterAll(() => fresh.drop())

async function find(text: string, scope: Partial<MemoryScope> = {}, { limit = 10, parts = partsWith() } = {}) {
  const query = { text, limit, embedSeconds: 5, minSimilarity: 0.2, signal }
  return searchNotes(parts, { ...unlabelled, ...scope }, query)
}
const titles = async (...asked: Parameters<typeof find>) => (await find(...asked)).map(({ record }) => record.title)

test('the best comes first, with its score', async () => {
  const found = await find('when are invoices paid')
  expect(found.map(({ record }) => record.title)).toEqual(['Invoices'])
  expect(found[0]?.score).toBe(1)
  expect(found[0]?.record.content).toBe('Invoices are paid within thirty days.')
})

describe('only notes that the run may see', () => {
  test.each<[string, Partial<MemoryScope>, string[]]>([
    ['without labels', {}, ['Invoices']],
    ['of a workspace', { workspaceId: 'w' }, ['Invoices', 'Invoices of w']],
    [
      'of both',
      { workspaceId: 'w', subjectId: 's' },
      ['Invoices', 'Invoices of s', 'Invoices of w', 'Invoices of w and s'],
    ],
    ['of an unknown workspace', { workspaceId: 'x' }, ['Invoices']],
    ['of another customer', { customerId: 'other' }, ['Foreign invoices']],
    ['of a customer without memory', { customerId: 'nobody' }, []],
  ])('a run %s', async (_of, scope, expected) => {
    expect((await titles('invoices paid', scope)).toSorted()).toEqual(expected)
  })
})

test('no more than asked for', async () => {
  expect(await titles('invoices paid', { workspaceId: 'w', subjectId: 's' }, { limit: 2 })).toHaveLength(2)
})

test('without the model the search uses words only', async () => {
  const away = new WordEmbedder()
  away.failure = new Error('away')
  expect(await titles('invoices paid', {}, { parts: partsWith(away) })).toEqual(['Invoices'])
})

test('vectors of another model are never compared', async () => {
  const parts = partsWith(new WordEmbedder('test/other'))
  const smallWords = 'are the are the'
  expect(await titles(smallWords)).not.toEqual([])
  expect(await titles(smallWords, {}, { parts })).toEqual([])
  expect(await titles('invoice', {}, { parts })).toEqual(['Invoices'])
})

test('an item superseded after the vectors were read is not found', async () => {
  const parts = partsWith()
  const by = { ...unlabelled, customerId: 'acme', runId: newUuid(), signal }
  const note = { title: 'Colour', kind: 'fact', tags: [] } as const
  await new NoteSaver(parts).save({ ...note, content: 'Walls are green.' }, { ...by, idempotencyKey: '1' })
  expect(await titles('walls', {}, { parts })).toEqual(['Colour'])
  await new NoteSaver(partsWith()).save({ ...note, content: 'Walls are white.' }, { ...by, idempotencyKey: '2' })
  const found = await find('green walls', {}, { parts })
  expect(found.map(({ record }) => record.content)).toEqual(['Walls are white.'])
})
