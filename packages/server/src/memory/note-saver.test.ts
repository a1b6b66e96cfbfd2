import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countStatements } from '../../test/support/count-statements.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { WordEmbedder } from '../../test/support/embedder.ts'
import { newUuid } from '../runtime/ids.ts'
import { type NewNote, NoteSaver, type SavingCall } from './note-saver.ts'
import { createMemoryParts } from './search/memory-parts.ts'

let fresh: FreshDatabase
let embedder: WordEmbedder
let saver: NoteSaver

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  embedder = new WordEmbedder()
  saver = new NoteSaver(createMemoryParts({ database: fresh.database, embedder }))
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

const save = (note: Partial<NewNote> = {}, by: Partial<SavingCall> = {}, to = saver) =>
  to.save({ ...aNote, ...note }, call(by))

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
  const ids = [await saver.save(aNote, by), await saver.save(aNote, by)]
  expect(ids[0]).toMatch(/^mem_[0-9a-z]{26}$/)
  expect(ids[1]).toBe(ids[0])
  expect(await stored()).toHaveLength(1)
})

test('two processes that make the same call at once save once', async () => {
  const by = call()
  const other = new NoteSaver(createMemoryParts({ database: fresh.open(), embedder: new WordEmbedder() }))
  const [one, two] = await Promise.all([saver.save(aNote, by), other.save(aNote, by)])
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
    const other = new NoteSaver(createMemoryParts({ database: fresh.open(8), embedder: new WordEmbedder() }))
    const titles = ['Dark theme', 'A dark theme', 'The dark theme', 'Dark, theme', 'Theme dark', 'User: dark theme']
    await Promise.all(titles.map((title, n) => save({ title }, {}, n % 2 === 0 ? saver : other)))
    expect((await stored()).filter((line) => line.includes(' active '))).toHaveLength(1)
  })

  test('is not known as one without vectors', async () => {
    await save()
    embedder.failure = new Error('away')
    await save(repeated)
    expect((await stored()).join()).not.toContain('superseded')
  })
})

describe('many notes of a customer at once', () => {
  const many = 200
  const notes = Array.from({ length: many }, (_, n) => ({ title: `Rule ${n}`, content: `Rule number ${n} is ${n}.` }))

  test('are all saved, with few statements', async () => {
    const statements = await countStatements(() => Promise.all(notes.map((note) => save(note))))
    expect(await stored()).toHaveLength(many)
    expect((await stored()).every((line) => line.endsWith('active test/words'))).toBe(true)
    // The first is saved alone, then 100 and 99 together.
    expect(statements).toBeLessThanOrEqual(35)
  })

  test('leave one active of each that says the same, and the later save wins', async () => {
    const titles = ['Dark theme', 'A dark theme', 'Dark theme', 'The dark theme']
    await save({ title: 'Theme dark' })
    await Promise.all(titles.map((title, n) => save({ title }, { idempotencyKey: `${n}` })))
    expect((await stored()).filter((line) => line.includes(' active '))).toEqual(['The dark theme active test/words'])
  })

  test('fail alone if PostgreSQL refuses one of them', async () => {
    const outcomes = await Promise.allSettled(
      notes.slice(0, 20).map((note, n) => save({ ...note, confidence: n === 7 ? 2 : 1 })),
    )
    expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(outcomes.map((_, n) => n === 7))
    expect(await stored()).toHaveLength(19)
  })

  test('do not make another customer wait for their lock', async () => {
    const client = await fresh.database.transaction(async (held) => {
      await held.query(`insert into memory_versions values ('busy', 1)`)
      const busy = Promise.all(notes.map((note) => save(note, { customerId: 'busy' })))
      await save(aNote, { customerId: 'quick' })
      return { busy }
    })
    await client.busy
    expect(await stored()).toHaveLength(many + 1)
  })
})
