// Retention: how long it takes to remove runs and how much it writes, and what creates notice of it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RunRemover } from '../packages/server/dist/retention/remove-runs.js'
import { Database } from '../packages/server/dist/store/postgres/database.js'
import { fillRuns } from './lib/fill-runs.mjs'
import { median, report, spread } from './lib/report.mjs'
import { benchKey, startProcess } from './lib/service.mjs'

const connections = 50
const body = JSON.stringify({ input: { goal: 'Summarise the news of the day' }, metadata: {}, workspace_id: 'w1' })
/** All runs that have ended. */
const retention = { default: 0, short: 0, long: 0 }

export async function run([runsText = '12000', secondsText = '5', roundsText = '3']) {
  const service = await startProcess('./serve.mjs', { args: ['{}'] })
  const options = { connection: service.connection, maxConnections: 2, applicationName: 'bench' }
  const database = new Database({ ...options, statementTimeoutMs: 3_600_000 })
  try {
    await fillRuns(database, 1, Number(runsText))
    await database.run({ text: 'vacuum analyze' })
    const removal = await measureRemoval(database)
    const [alone, beside] = [[], []]
    for (let round = 1; round <= Number(roundsText); round += 1) {
      alone.push(await load(service.url, Number(secondsText)))
      const start = round * 100_000
      await fillRuns(database, start, start + 3_000)
      beside.push(await loadBeside(database, service.url, Number(secondsText)))
    }
    publish(removal, alone, beside)
  } finally {
    await database.close()
    await service.stop()
  }
}

const removerOf = (database, more) =>
  new RunRemover({ database, retention, announce: () => undefined, mayContinue: () => true, ...more })

/** Without rests. */
async function measureRemoval(database) {
  const lsn = async () => (await database.run({ text: 'select pg_current_wal_lsn()::text as lsn' }))[0].lsn
  await database.run({ text: 'checkpoint' })
  const before = await lsn()
  const start = performance.now()
  const { removed } = await removerOf(database, { rest: async () => undefined }).runOnce()
  const seconds = (performance.now() - start) / 1000
  const [{ bytes }] = await database.run({
    text: 'select pg_wal_lsn_diff(pg_current_wal_lsn(), $1::pg_lsn)::float8 as bytes',
    values: [before],
  })
  return { removed, seconds, bytes }
}

async function loadBeside(database, url, seconds) {
  let isOver = false
  const removing = removerOf(database, { mayContinue: () => !isOver }).runOnce()
  const result = await load(url, seconds)
  isOver = true
  return { ...result, removed: (await removing).removed }
}

async function load(url, seconds) {
  const options = JSON.stringify({ url, key: benchKey, connections, seconds, body })
  const script = new URL('./lib/load.mjs', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [script, options])
  return JSON.parse(stdout)
}

function publish({ removed, seconds, bytes }, alone, beside) {
  const rates = (rounds) => rounds.map(({ perSecond }) => perSecond)
  const p99 = (rounds) => rounds.map((round) => round.p99)
  const ratio = median(rates(beside)) / median(rates(alone))
  report('retention', {
    title: 'Retention: removing runs of five events, fsync on',
    columns: ['what', 'result'],
    rows: [
      ['runs removed, without rests', `${removed} in ${seconds.toFixed(1)} s, ${Math.round(removed / seconds)}/s`],
      ['write-ahead log per removed run', `${Math.round(bytes / removed)} bytes`],
      ['creates/s alone', spread(rates(alone))],
      ['creates/s while runs are removed', `${spread(rates(beside))}: ${ratio.toFixed(2)} ×`],
      ['p99 of creates alone, ms', spread(p99(alone), 1)],
      ['p99 of creates while runs are removed, ms', spread(p99(beside), 1)],
      ['runs removed meanwhile, with rests', spread(beside.map((round) => round.removed))],
    ],
  })
}
