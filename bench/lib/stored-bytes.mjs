// How many bytes a run takes in the database: real runs of the sandbox, when they end and after they were trimmed.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Database } from '../../packages/server/dist/store/postgres/database.js'
import { trimEndedRuns } from '../../packages/server/dist/store/run-log/trim-runs.js'
import { benchKey, startProcess } from './service.mjs'

const loader = new URL('./drain-load.mjs', import.meta.url).pathname
const sentence = 'The quick brown fox jumps over the lazy dog and then goes home again. '
const labels = { workspace_id: 'workspace', subject_id: 'subject' }

/** Name → the body of a create. */
const bodies = {
  'one step, 60 characters': { input: { question: 'What is 2 + 2?' }, metadata: {}, ...labels },
  'one step, 560 characters, streamed word by word': {
    input: { sandbox: { steps: [{ say: sentence.repeat(8), chunk_ms: 20 }] } },
    metadata: {},
    routing_hint: 'skip_planning',
    ...labels,
  },
}

export async function measureBytes(runs) {
  const results = []
  for (const [name, body] of Object.entries(bodies)) results.push({ name, ...(await measureBody(body, runs)) })
  return results
}

async function measureBody(body, runs) {
  const env = { RUNWRIGHT_WORKER_CONCURRENCY: '200' }
  const service = await startProcess('./serve.mjs', { args: [JSON.stringify({ executes: true })], env })
  const database = new Database({ connection: service.connection, maxConnections: 1, applicationName: 'bench' })
  try {
    const options = { url: service.url, key: benchKey, runs, inFlight: 50, body: JSON.stringify(body), isPatient: true }
    await promisify(execFile)(process.execPath, [loader, JSON.stringify(options)])
    await service.ask({ what: 'drained' })
    const ended = await bytesPerRun(database, runs)
    while ((await trimEndedRuns(database, { hours: 0, atMost: 500 })) > 0);
    await database.run({ text: 'truncate log_batches' })
    return { ended, trimmed: await bytesPerRun(database, runs) }
  } finally {
    await database.close()
    await service.stop()
  }
}

/** Packed, as if written once: what updates and deletes have left behind is reused. */
async function bytesPerRun(database, runs) {
  await database.run({ text: 'vacuum full' })
  const rows = await database.run({
    text: `
select relname as table, pg_total_relation_size(oid) as bytes
from pg_class
where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_table_size(oid) > 65536`,
  })
  return new Map(rows.map(({ table, bytes }) => [table, bytes / runs]))
}
