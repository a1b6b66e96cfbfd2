// Checks that a search finds notes by meaning, not only by words: 30 notes, and 10 questions in other words.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newUuid } from '../../runtime/ids.ts'
import { OfflineEmbedder } from '../embedders/offline-embedder.ts'
import { NoteSaver } from '../note-saver.ts'
import { createMemoryParts, type MemoryParts } from './memory-parts.ts'
import { searchNotes } from './search-notes.ts'

const notes = {
  approvals: 'Invoices above one thousand dollars must be signed off by the head of finance.',
  backups: 'A copy of the production database is written to the archive every night at two.',
  deploys: 'New versions are released on Thursday mornings, never on a Friday.',
  allergy: 'Maria gets ill from peanuts and must not be served anything that contains nuts.',
  vacation: 'Employees may take twenty-five days of holiday a year.',
  theme: 'The user likes a dark background in every application.',
  language: 'Letters to this customer are written in German.',
  phone: 'The customer wants to be called in the afternoon only.',
  password: 'A password has to be changed every ninety days.',
  parking: 'Visitors leave their cars in the basement garage of the east wing.',
  coffee: 'The coffee machine on the third floor is cleaned on Mondays.',
  shipping: 'Parcels to Switzerland need a customs declaration.',
  refunds: 'Money is given back within two weeks after goods were returned.',
  incidents: 'When the website is down, the engineer on call is woken up first.',
  budget: 'The marketing department may spend fifty thousand euros per quarter.',
  meeting: 'The whole team meets on Tuesdays at ten in the large conference room.',
  laptop: 'New colleagues receive a laptop on their first day.',
  weather: 'Outdoor events are moved inside when rain is forecast.',
  contract: 'The agreement with the cleaning company ends in June.',
  tax: 'Receipts are kept for ten years because the tax office may ask for them.',
  training: 'Safety training is repeated once a year by everyone in the warehouse.',
  logo: 'The logo may only be printed in blue or in black.',
  travel: 'Flights are booked in economy class unless they take longer than six hours.',
  heating: 'The heating is turned down at eight in the evening.',
  supplier: 'Paper is ordered from the supplier in Leipzig.',
  retention: 'Log files are deleted after thirty days.',
  payment: 'Salaries are transferred on the last working day of the month.',
  reviews: 'Every change to the code is read by a second developer before it is merged.',
  catering: 'Lunch for workshops is ordered from the vegetarian restaurant next door.',
  keys: 'The spare key to the server room is kept at the reception desk.',
}

const questions: [question: string, answer: keyof typeof notes][] = [
  ['who has to approve a big bill?', 'approvals'],
  ['how do we protect ourselves against losing data?', 'backups'],
  ['on which day of the week do we ship software updates?', 'deploys'],
  ['food intolerances of guests', 'allergy'],
  ['how much time off do staff get?', 'vacation'],
  ['what colours does he want on his screen?', 'theme'],
  ['where can guests park?', 'parking'],
  ['whom do I contact during an outage at night?', 'incidents'],
  ['when do people get their wages?', 'payment'],
  ['what rules are there for pull requests?', 'reviews'],
]

const scope = { customerId: 'acme', workspaceId: null, subjectId: null }
const { signal } = new AbortController()
const embedder = new OfflineEmbedder()
let fresh: FreshDatabase
let parts: MemoryParts

beforeAll(async () => {
  fresh = await freshDatabase()
  parts = createMemoryParts({ database: fresh.database, embedder })
  const runId = newUuid()
  for (const [title, content] of Object.entries(notes)) {
    const note = { title, content, kind: 'fact', tags: [] } as const
    await new NoteSaver(parts).save(note, { ...scope, runId, idempotencyKey: title, signal })
  }
})
afterAll(async () => {
  await embedder.close()
  await fresh.drop()
})

const byMeaning = async (text: string) => {
  const query = { text, limit: 3, embedSeconds: 10, minSimilarity: 0, signal }
  return (await searchNotes(parts, scope, query)).map(({ record }) => record.title)
}

/** PostgreSQL full-text search, where any word may match. */
async function byWords(text: string) {
  const rows = await fresh.database.query<{ title: string }>({
    text: `
      with asked as (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as words)
      select title from memory_items, asked where memory_items.words @@ asked.words
      order by ts_rank(memory_items.words, asked.words) desc limit 3`,
    values: [text],
  })
  return rows.map(({ title }) => title)
}

async function countFound(search: (text: string) => Promise<unknown[]>): Promise<number> {
  const found = await Promise.all(questions.map(async ([text, title]) => (await search(text)).includes(title)))
  return found.filter(Boolean).length
}

test('most questions find their note among the first three, more than by words alone', async () => {
  const found = await countFound(byMeaning)
  expect(found).toBeGreaterThanOrEqual(7)
  expect(found).toBeGreaterThan(await countFound(byWords))
})
