import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { WordEmbedder } from '../../test/support/embedder.ts'
import { newUuid } from '../runtime/ids.ts'
import { type NewNote, type SavingCall, saveNote } from './save-note.ts'
import { createMemoryParts, type MemoryParts } from './search/memory-parts.ts'

let fresh: FreshDatabase
let embedder: WordEmbedder
let parts: MemoryParts

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  embedder = new WordEmbedder()
  parts = createMemoryParts({ database: fresh.database, embedder })
  await fresh.database.run({ text: 'truncate memory_items, memory_versions' })
})
afterAll(() => fresh.drop())

const aNote: NewNote = { title: 'Dark theme', content: 'The user prefers a dark theme.', kind: 'fact', tags: [] }

const call = (changes: Partial<SavingCall> = {}): SavingCall => ({
  customerId: 'acme',
  workspaceId: null,
  subjectId: null,
  runId: newUuid(),
  idempotencyKey: newUuid(),
  signal: new AbortController().signal,
  ...changes,
})

const save = (note: Partial<NewNote> = {}, by: Partial<SavingCall> = {}, to = parts) =>
  saveNote(to, { ...aNote, ...note }, call(by))

async function stored() {
  const rows = await fresh.database.query<{ title: string; status: string; model: string | null }>({
    text: 'select title, status, embedding_model as model from memory_items order by created_at, id',
  })
  return rows.map(({ title, status, model }) => `${title} ${status} ${model}`)
}

test('a note gets its vector at once, from title and content', async () => {
  await save()
  expect(await stored()).toEqual(['Dark theme active test/words'])
  expect(embedder.texts).toEqual(['Dark theme\nThe user prefers a dark theme.'])
})

test('a note of a run that had read untrusted text is marked, others are not', async () => {
  await save()
  await save({ title: 'Limit', content: 'It is 1,000.' }, { hasReadUntrusted: true })
  const rows = await fresh.database.query<{ title: string; untrusted: boolean }>({
    text: 'select title, untrusted from memory_items order by created_at, id',
  })
  expect(rows).toEqual([
    { title: 'Dark theme', untrusted: false },
    { title: 'Limit', untrusted: true },
  ])
})

test('without the model a note is still saved', async () => {
  embedder.failure = new Error('away')
  await save()
  expect(await stored()).toEqual(['Dark theme active null'])
})

test('the same call saves once, under one id', async () => {
  const by = call()
  const ids = [await saveNote(parts, aNote, by), await saveNote(parts, aNote, by)]
  expect(ids[0]).toMatch(/^mem_[0-9a-z]{26}$/)
  expect(ids[1]).toBe(ids[0])
  expect(await stored()).toHaveLength(1)
})

test('two processes that make the same call at once save once', async () => {
  const by = call()
  const other = createMemoryParts({ database: fresh.open(), embedder: new WordEmbedder() })
  const [one, two] = await Promise.all([saveNote(parts, aNote, by), saveNote(other, aNote, by)])
  expect(two).toBe(one)
  expect(await stored()).toHaveLength(1)
})

test('a call that was aborted saves nothing', async () => {
  await expect(save({}, { signal: AbortSignal.abort() })).rejects.toThrow()
  expect(await stored()).toEqual([])
})

describe('a note that says the same under another title', () => {
  const repeat = { title: 'dark theme, please', content: 'the user prefers the dark theme' }
  const repeated = { title: 'A dark theme', content: 'The user prefers the dark theme!' }

  test('takes the place of the old one', async () => {
    await save()
    await save(repeated)
    expect(await stored()).toEqual(['Dark theme superseded test/words', 'A dark theme active test/words'])
  })

  test('keeps both notes when its title adds something', async () => {
    await save()
    await save(repeat)
    expect(await stored()).toHaveLength(2)
    expect((await stored()).join()).not.toContain('superseded')
  })

  test.each<[string, Partial<NewNote>, Partial<SavingCall>]>([
    ['another kind', { kind: 'preference' }, {}],
    ['another workspace', {}, { workspaceId: 'w' }],
    ['another subject', {}, { subjectId: 's' }],
    ['another customer', {}, { customerId: 'other' }],
  ])('stays beside one of %s', async (_of, note, by) => {
    await save(note, by)
    await save(repeated)
    expect((await stored()).join()).not.toContain('superseded')
  })

  test('leaves one active, however many are saved at once by two processes', async () => {
    const other = createMemoryParts({ database: fresh.open(8), embedder: new WordEmbedder() })
    const titles = ['Dark theme', 'A dark theme', 'The dark theme', 'Dark, theme', 'Theme dark', 'User: dark theme']
    await Promise.all(titles.map((title, n) => save({ title }, {}, n % 2 === 0 ? parts : other)))
    expect((await stored()).filter((line) => line.includes(' active '))).toHaveLength(1)
  })

  test('is not known as one without vectors', async () => {
    await save()
    embedder.failure = new Error('away')
    await save(repeated)
    expect((await stored()).join()).not.toContain('superseded')
  })
})
