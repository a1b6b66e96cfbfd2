// Usage: 1,000,000 records of one customer over a year, read from the totals and by a plain GROUP BY over the records,
// and how fast deltas are folded.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageEventTypes } from '../packages/contract/dist/index.js'
import { UsageFolder } from '../packages/server/dist/maintenance/fold-usage.js'
import { Database } from '../packages/server/dist/store/postgres/database.js'
import { migrate } from '../packages/server/dist/store/postgres/migrate.js'
import { repairUsage } from '../packages/server/dist/store/usage/audit.js'
import { listUsageMonths } from '../packages/server/dist/store/usage/months.js'
import { readUsage } from '../packages/server/dist/store/usage/usage.js'
import { median, report, spread } from './lib/report.mjs'
import { startPostgres } from './lib/start-postgres.mjs'

const customerId = 'bench'
const year = { start: '2025-11-01T00:00:00.000000Z', end: '2026-11-01T00:00:00.000000Z' }
const month = { start: '2026-10-01T00:00:00.000000Z', end: '2026-11-01T00:00:00.000000Z' }
const day = { start: '2026-10-15T00:00:00.000000Z', end: '2026-10-16T00:00:00.000000Z' }
const everything = { workspaceId: undefined, subjectId: undefined, eventType: undefined }
const ask = (range, granularity, more = {}) => ({
  customerId,
  range,
  granularity,
  now: year.end,
  maxRows: 50_000,
  maxBytes: 32 * 1024 * 1024,
  ...everything,
  byWorkspace: false,
  bySubject: false,
  ...more,
})

const questions = {
  'a year by month': ask(year, 'month'),
  'a month by day': ask(month, 'day'),
  'a day by hour': ask(day, 'hour'),
  'a month by hour': ask(month, 'hour'),
  'a year by month, one workspace': ask(year, 'month', { workspaceId: 'workspace 7' }),
  'a month by day, one subject': ask(month, 'day', { subjectId: 'subject 77' }),
  'a year by month, split by workspace': ask(year, 'month', { byWorkspace: true }),
  'a month, split by subject': ask(month, 'month', { bySubject: true }),
}

export async function run([recordsText = '1000000', roundsText = '3', asksText = '200']) {
  const dataDir = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
  const postgres = await startPostgres({ dataDir })
  const options = { connection: postgres.connection, maxConnections: 1, applicationName: 'bench' }
  const database = new Database({ ...options, statementTimeoutMs: 600_000, session: { work_mem: "'256MB'" } })
  try {
    await migrate(database)
    const foldedPerSecond = await fill(database, Number(recordsText))
    const asks = Number(asksText)
    const results = await measure(database, Number(roundsText), asks)
    publish({ records: Number(recordsText), results, foldedPerSecond, nothingMs: await measureNothing(database, asks) })
  } finally {
    await database.close()
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Inserts records, totals of all months but the last, and deltas of the last. Folds these; returns deltas per second.
 */
async function fill(database, records) {
  await timed('records', () => database.run({ text: recordsStatement, values: [records] }))
  await timed('statistics', () => database.run({ text: 'vacuum analyze usage_rows' }))
  const months = await listUsageMonths(database)
  await timed('totals', () => repairUsage(database, months.slice(0, -1)))
  await database.run({ text: deltasStatement, values: [months.at(-1).start] })
  const folder = new UsageFolder(database)
  let folded = 0
  const seconds = await timed('fold', async () => {
    for (let last = 1; last > 0; folded += last) last = (await folder.runOnce()).folded
  })
  await database.run({ text: 'vacuum analyze usage_totals' })
  return folded / seconds
}

const recordsStatement = `
insert into usage_rows (run_id, key, customer_id, workspace_id, subject_id, event_type, quantity, at)
select md5(n::text)::uuid, 'k', '${customerId}', 'workspace ' || floor(random() * 20), 'subject ' || floor(random() * 500),
  (array[${usageEventTypes.map((type) => `'${type}'`).join(', ')}])[1 + n % 4],
  case when n % 4 = 3 then 100 + n % 900 else 1 end,
  timestamptz '${year.start}' + n * interval '365 days' / ($1 + 1)
from generate_series(1, $1::integer) n`

const deltasStatement = `
insert into usage_deltas
select customer_id, date_trunc('hour', at, 'UTC'), event_type, workspace_id, subject_id, 1, quantity
from usage_rows
where at >= $1`

async function timed(name, work) {
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  console.log(`${name}: ${seconds.toFixed(1)} s`)
  return seconds
}

/** After a warm-up, both ways are measured in turns, so that the machine is the same for both. */
async function measure(database, rounds, asks) {
  for (const question of Object.values(questions)) {
    await compare(database, question)
    await timesOf(asks, () => readUsage(database, question))
  }
  const results = Object.fromEntries(Object.keys(questions).map((name) => [name, { totals: [], plain: [] }]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, question] of Object.entries(questions)) {
      const times = { totals: [], plain: [] }
      const start = performance.now()
      while (times.totals.length < asks && performance.now() - start < 5_000) {
        times.totals.push(...(await timesOf(asks / 4, () => readUsage(database, question))))
        times.plain.push(...(await timesOf(asks / 40, () => database.query(plainStatement(question)))))
      }
      results[name].totals.push(median(times.totals))
      results[name].plain.push(median(times.plain))
    }
    console.log(`round ${round} of ${rounds}`)
  }
  return results
}

/** The time of each of `asks` calls, in ms. */
async function timesOf(asks, work) {
  const times = []
  for (let one = 0; one < asks; one += 1) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return times
}

/** A statement that reads nothing: the lower bound for an answer. */
const measureNothing = async (database, asks) =>
  median(await timesOf(asks, () => database.query({ name: 'nothing', text: 'select 1' })))

async function compare(database, question) {
  const sums = (rows) => rows.map(({ count, quantity }) => `${count} ${quantity}`).join()
  const [read, plain] = [await readUsage(database, question), await database.query(plainStatement(question))]
  if (sums(read) !== sums(plain)) throw new Error(`the answers differ: ${JSON.stringify(question)}`)
}

function plainStatement({ range, granularity, workspaceId, subjectId, byWorkspace, bySubject }) {
  const labels = `${byWorkspace ? ', workspace_id' : ''}${bySubject ? ', subject_id' : ''}`
  return {
    text: `
      select date_trunc('${granularity}', at at time zone 'UTC') as period, event_type${labels}, count(*) as count,
        sum(quantity)::bigint as quantity
      from usage_rows
      where customer_id = $1 and at >= $2 and at < $3 and ($4::text is null or workspace_id = $4)
        and ($5::text is null or subject_id = $5)
      group by 1, 2${labels}
      order by 1, 2${labels}`,
    values: [customerId, range.start, range.end, workspaceId, subjectId],
  }
}

function publish({ records, results, foldedPerSecond, nothingMs }) {
  report('usage', {
    title: `Usage read from totals, ${records.toLocaleString('en-US')} records over 12 months, 20 workspaces, 500 subjects`,
    columns: ['what', 'Runwright p50 ms', 'plain GROUP BY over the records p50 ms', 'times faster'],
    rows: Object.entries(results).map(([name, { totals, plain }]) => [
      name,
      spread(totals, 2),
      spread(plain, 1),
      (median(plain) / median(totals)).toFixed(0),
    ]),
    notes: [
      `A statement that reads nothing takes ${nothingMs.toFixed(2)} ms. The plain statement has an index on customer and time; a day has 2,740 of the records.`,
      `Folding: ${Math.round(foldedPerSecond).toLocaleString('en-US')} deltas/s, each with labels of its own.`,
      'Before anything was measured, each answer was compared with the plain one: the same rows.',
    ],
  })
}
