// Searching the memory of a customer with 10,000 items by meaning and words, with the offline model and its vectors
// kept in the process. The baseline is the same search that fetches all vectors each time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { normalize } from '../packages/server/dist/memory/embedders/embedder.js'
import { OfflineEmbedder } from '../packages/server/dist/memory/embedders/offline-embedder.js'
import { createMemoryParts } from '../packages/server/dist/memory/search/memory-parts.js'
import { searchNotes } from '../packages/server/dist/memory/search/search-notes.js'
import { newUuid } from '../packages/server/dist/runtime/ids.js'
import { toVectorBytes } from '../packages/server/dist/store/memory/vector-bytes.js'
import { Database } from '../packages/server/dist/store/postgres/database.js'
import { migrate } from '../packages/server/dist/store/postgres/migrate.js'
import { percentile, report, spread } from './lib/report.mjs'
import { startPostgres } from './lib/start-postgres.mjs'

const scope = { customerId: 'bench', workspaceId: null, subjectId: null }
const { signal } = new AbortController()

export async function run([itemsText = '10000', searchesText = '100', roundsText = '3']) {
  const items = Number(itemsText)
  const dataDir = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
  const postgres = await startPostgres({ dataDir })
  const database = new Database({ connection: postgres.connection, maxConnections: 4, applicationName: 'bench' })
  const embedder = new OfflineEmbedder()
  try {
    await migrate(database)
    await fill({ database, embedder, items })
    const results = { embed: [], search: [], fetching: [] }
    const kept = createMemoryParts({ database, embedder })
    await search(kept, questionAt(0))
    for (let round = 0; round < Number(roundsText); round += 1) {
      results.embed.push(await times(Number(searchesText), (text) => embedder.embed([text])))
      results.search.push(await times(Number(searchesText), (text) => search(kept, text)))
      results.fetching.push(
        await times(Number(searchesText) / 10, (text) => search(createMemoryParts({ database, embedder }), text)),
      )
    }
    show(items, results)
  } finally {
    await embedder.close()
    await database.close()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function show(items, { embed, search, fetching }) {
  const at = (rounds, share) => rounds.map((values) => percentile(values, share))
  const row = (name, rounds) => [name, spread(at(rounds, 0.5), 1), spread(at(rounds, 0.99), 1)]
  report('memory', {
    title: `Searching the memory of a customer with ${items.toLocaleString('en')} items`,
    columns: ['what', 'p50 ms', 'p99 ms'],
    rows: [
      row('the same search, all vectors fetched each time, the baseline', fetching),
      row('Runwright', search),
      row('of which the offline model alone takes', embed),
    ],
    notes: [
      'A search: the model on the question, full text in PostgreSQL beside it, all vectors compared, the best five read.',
    ],
  })
}

async function times(count, work) {
  const measured = []
  for (let number = 0; number < count; number += 1) {
    const text = questionAt(Math.floor(Math.random() * 1_000_000))
    const start = performance.now()
    await work(text)
    measured.push(performance.now() - start)
  }
  return measured
}

async function search(parts, text) {
  const found = await searchNotes(parts, scope, { text, limit: 5, embedSeconds: 30, minSimilarity: 0.2, signal })
  if (found.length !== 5) throw new Error(`${found.length} items were found for: ${text}`)
}

const subjects = [
  'customer',
  'supplier',
  'finance team',
  'warehouse',
  'support desk',
  'manager',
  'auditor',
  'new colleague',
]
const verbs = ['approves', 'rejects', 'orders', 'delivers', 'checks', 'archives', 'forwards', 'repairs']
const objects = [
  'invoices',
  'contracts',
  'laptops',
  'parcels',
  'reports',
  'refunds',
  'passwords',
  'backups',
  'printers',
]
const days = ['on Mondays', 'every night', 'in the spring', 'before noon', 'twice a year', 'after the meeting']
const pick = (list, number) => list[number % list.length]
const partsOf = (n) => [pick(subjects, n), pick(verbs, n >> 3), pick(objects, n >> 6), pick(days, n >> 9)]
const noteAt = (n) => `The ${partsOf(n).join(' ')}, as agreed in note ${n}.`
const questionAt = (n) => `Who ${pick(verbs, n)} the ${pick(objects, n >> 3)} ${pick(days, n >> 6)} (${n})?`

/** Real texts. The vectors are variations of those of a hundred texts: the model would take minutes for all. */
async function fill({ database, embedder, items }) {
  const real = await embedder.embed(Array.from({ length: 100 }, (_, n) => noteAt(n * 97)))
  const vectorAt = (n) => normalize(real[n % real.length].map((value) => value + (Math.random() - 0.5) / 20))
  for (let start = 0; start < items; start += 1_000) {
    const numbers = Array.from({ length: Math.min(1_000, items - start) }, (_, n) => start + n)
    await database.run({
      text: `
        insert into memory_items (id, customer_id, kind, title, content, version, embedding_model, embedding_bytes, created_at, updated_at)
        select id, 'bench', 'fact', title, content, 1, $4, bytes, now(), now()
        from unnest($1::uuid[], $2::text[], $3::text[], $5::bytea[]) as note(id, title, content, bytes)`,
      values: [
        numbers.map(() => newUuid()),
        numbers.map((n) => `Note ${n}`),
        numbers.map(noteAt),
        embedder.model,
        numbers.map((n) => toVectorBytes(vectorAt(n))),
      ],
    })
  }
  await database.run({ text: "insert into memory_versions values ('bench', 1)" })
  await database.run({ text: 'vacuum analyze memory_items' })
}
