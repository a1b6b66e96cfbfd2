import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { remember } from '../../../test/support/drive.ts'
import { areaInScope } from './area.ts'
import { searchWords } from './words.ts'

let fresh: FreshDatabase
const titles = new Map<string, string>()

beforeAll(async () => {
  fresh = await freshDatabase()
  const items: Parameters<typeof remember>[1][] = [
    { title: 'Payments', content: 'Invoices are paid by the finance team.' },
    { title: 'Backups', content: 'The database is copied every night.', workspace_id: 'w' },
    { title: 'Invoices of w', content: 'They are archived.', workspace_id: 'w', subject_id: 's' },
    { title: 'Invoices of v', content: 'They are archived.', workspace_id: 'v' },
    { title: 'Old invoices', content: 'Shredded.', status: 'superseded' },
    { title: 'Run about invoices', content: 'Invoices.', harness: true, kind: 'episode' },
    { title: 'Foreign invoices', content: 'Invoices.', customer_id: 'other' },
  ]
  for (const item of items) await remember(fresh.database, item)
  const rows = await fresh.database.query<{ id: string; title: string }>({ text: 'select id, title from memory_items' })
  for (const { id, title } of rows) titles.set(id, title)
})
afterAll(() => fresh.drop())

async function find(text: string, workspaceId: string | null = null, subjectId: string | null = null) {
  const area = areaInScope({ customerId: 'acme', workspaceId, subjectId })
  const { ids } = await searchWords(fresh.database, area, { text, limit: 10 })
  return ids.map((id) => titles.get(id))
}

test('words are found in any of their forms, in title and content', async () => {
  expect(await find('invoice')).toEqual(['Payments'])
  expect(await find('payment')).toEqual(['Payments'])
  expect(await find('nothing of the kind')).toEqual([])
})

describe('only what the run may see', () => {
  test.each([
    [null, null, ['Payments']],
    ['w', null, ['Payments']],
    ['w', 's', ['Invoices of w', 'Payments']],
    ['w', 't', ['Payments']],
    ['v', null, ['Invoices of v', 'Payments']],
  ])('workspace %s and subject %s', async (workspaceId, subjectId, expected) => {
    expect((await find('invoices', workspaceId, subjectId)).toSorted()).toEqual(expected)
  })
})

test('half of the words are enough, and three of many', async () => {
  expect(await find('which invoices exist')).toEqual(['Payments'])
  expect(await find('invoices of chairs and tables')).toEqual([])
  expect(await find('finance team invoices chairs tables lamps sofas beds')).toEqual(['Payments'])
})

test.each(["'", '\\', "a'b\\c & | ! ( ) <-> :*", '@acme', '', '   ', '😀', 'x'.repeat(3_000), '$1 %s'])(
  'any text is a question: %s',
  async (text) => {
    expect(await find(text)).toEqual([])
  },
)

test('the result includes the version', async () => {
  const area = areaInScope({ customerId: 'acme', workspaceId: null, subjectId: null })
  expect((await searchWords(fresh.database, area, { text: 'x', limit: 1 })).version).toBe(0)
  await fresh.database.run({ text: "insert into memory_versions values ('acme', 7)" })
  expect((await searchWords(fresh.database, area, { text: 'x', limit: 1 })).version).toBe(7)
})
