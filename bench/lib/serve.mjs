// A service under measurement: the real app on a real PostgreSQL with fsync on. argv: JSON of what differs from the
// default.
import { randomUUID } from 'node:crypto'
import { bootstrapKeys } from '../../packages/server/dist/access/bootstrap.js'
import { createApp } from '../../packages/server/dist/app.js'
import { recorder } from '../../packages/server/dist/models/cassette/recorder.js'
import { replayModels } from '../../packages/server/dist/models/cassette/replay-models.js'
import { chooseModels, modelBook } from '../../packages/server/dist/models/choose-models.js'
import { fromWireId } from '../../packages/server/dist/runtime/ids.js'
import { createLogger } from '../../packages/server/dist/runtime/logger.js'
import { readSettings } from '../../packages/server/dist/runtime/settings/settings.js'
import { Database } from '../../packages/server/dist/store/postgres/database.js'
import { migrate } from '../../packages/server/dist/store/postgres/migrate.js'
import { logSession } from '../../packages/server/dist/store/run-log/change-statement.js'
import { RunClaimer } from '../../packages/server/dist/store/run-log/run-claimer.js'
import { RunCreator } from '../../packages/server/dist/store/run-log/run-creator.js'
import { RunLog } from '../../packages/server/dist/store/run-log/run-log.js'
import { SealingKeys } from '../../packages/server/dist/store/sealed/sealing-keys.js'
import { countStatements, databaseCpu } from './counted-statements.mjs'
import { newRun } from './new-run.mjs'
import { benchKey } from './service.mjs'
import { startPostgres } from './start-postgres.mjs'

const options = JSON.parse(process.argv[2] ?? '{}')
// With a given database it is a further process, which only executes runs unless told otherwise.
const { grouping, executes, nothingBehind, withoutUsage, connection: given, serves = !given } = options
const statements = countStatements()
let forgotten = 0
if (nothingBehind) {
  // The same route without a database: runs are not stored.
  RunCreator.prototype.create = async () => {
    forgotten += 1
    return { outcome: 'created', createdAt: new Date() }
  }
}
if (withoutUsage) {
  // Steps and tokens are not metered: only creates still leave a record.
  const { apply } = RunLog.prototype
  RunLog.prototype.apply = function (change) {
    return apply.call(this, { ...change, usage: [] })
  }
}
const settings = readSettings({
  RUNWRIGHT_PORT: '0',
  RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0',
  RUNWRIGHT_LOG_LEVEL: 'warn',
  RUNWRIGHT_BOOTSTRAP_KEYS: `bench=${benchKey}`,
  ...process.env,
})
const logger = createLogger({ level: 'warn' })
const postgres = given ? undefined : await startPostgres({ dataDir: settings.database.dataDir })
const connection = given ?? postgres.connection
// The same in every process: those of one benchmark share a database.
const secrets = { encryptionKey: Buffer.alloc(32, 1), keyPepper: Buffer.alloc(32, 2) }
const database = new Database({ connection, maxConnections: 4, applicationName: 'bench' })
const logDatabase = new Database({ connection, maxConnections: 1, applicationName: 'bench', session: logSession })
await migrate(database)
await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
const { recordDir, replayDir } = settings.cassettes
const book = replayDir ? replayModels(replayDir) : modelBook(process.env)
const worker = executes
  ? { models: await chooseModels(settings.models, book), ...(recordDir && { recorder: recorder(recordDir) }) }
  : undefined
const app = createApp({
  settings,
  connection,
  secrets,
  logger,
  ...(serves && { api: { ...(grouping && { grouping }) } }),
  worker,
})
const url = await app.start()
// Only the first process is asked about the database; a large fleet needs the connections.
if (given) await Promise.all([database.close(), logDatabase.close()])

let appending
const stopAppending = () => clearInterval(appending)

/** Appends events to each run at a rate per second, spread evenly, through the service's own log. */
function append({ runIds, perSecond, taskId }) {
  const everyMs = 10
  const perTick = (runIds.length * perSecond * everyMs) / 1000
  let due = 0
  let next = 0
  let sent = 0
  appending = setInterval(() => {
    for (due += perTick; due >= 1; due -= 1) {
      const runId = runIds[next]
      next = (next + 1) % runIds.length
      sent += 1
      const content_delta = `piece ${sent} of something that an agent says `
      const payload = { kind: 'content_delta', content_delta, ...(taskId && { task_id: taskId }) }
      void app.runLog.apply({
        runId,
        customerId: 'bench',
        epoch: null,
        from: ['queued'],
        events: [{ type: 'step.progress', payload }],
      })
    }
  }, everyMs)
}

/** Appends so many pieces of text to one queued run, of two steps in turn. */
async function appendDeltas({ runId, count }) {
  for (let from = 0; from < count; from += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => ({
      type: 'step.progress',
      payload: {
        kind: 'content_delta',
        content_delta: `piece ${from + index} of an answer `,
        task_id: `task_${index % 2}`,
      },
    }))
    await app.runLog.apply({
      runId: fromWireId('run', runId),
      customerId: 'bench',
      epoch: null,
      from: ['queued'],
      events,
    })
  }
}

const answers = {
  appendDeltas,
  append: async (question) => append(question),
  stopAppending: async () => stopAppending(),
  count: async ({ table }) =>
    forgotten || (await database.query({ text: `select count(*) as count from ${table}` }))[0].count,
  transactions: async () =>
    (
      await database.query({
        text: 'select xact_commit as count from pg_stat_database where datname = current_database()',
      })
    )[0].count,
  drained: async () => {
    const open = "select 1 from runs where state in ('queued', 'running', 'stalled') limit 1"
    while ((await database.query({ text: open })).length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  },
  queue: async ({ runs, part = {} }) => {
    const creator = new RunCreator(database, () => undefined)
    for (let left = runs; left > 0; left -= 1_000) {
      await Promise.all(Array.from({ length: Math.min(left, 1_000) }, () => creator.create({ ...newRun({}), ...part })))
    }
  },
  /** The time of each claim, in ms. */
  claim: async ({ rounds, places }) => {
    const keys = new SealingKeys(database, secrets)
    const claimer = new RunClaimer(logDatabase, () => undefined, { workerId: randomUUID(), leaseMs: 600_000, keys })
    const times = []
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now()
      const { runs } = await claimer.claim([{ runClass: 'default', places, afterCustomer: '' }], places)
      times.push(performance.now() - start)
      if (runs.length !== places) throw new Error(`${runs.length} runs claimed instead of ${places}`)
    }
    return times
  },
  /** Resolves when so many runs are executing. */
  full: async ({ places }) => {
    const held = 'select count(*) as count from runs where worker_id is not null'
    while ((await database.query({ text: held }))[0].count < places)
      await new Promise((resolve) => setTimeout(resolve, 20))
  },
  /** The median time between two ends of steps of a run, in ms. */
  stepMedian: async () => {
    const text = `
      select percentile_cont(0.5) within group (order by ms) as median
      from (
        select extract(epoch from at - lag(at) over (partition by run_id order by seq)) * 1000 as ms
        from event_rows
        where type = 'step.done' and customer_id = 'bench'
      ) step
      where ms is not null`
    return Number((await database.query({ text }))[0].median)
  },
  cpu: async () => process.cpuUsage(),
  databaseCpu: () => databaseCpu(database),
  statements: async () => ({ ...statements }),
  /** How many connections all services together have; those of the benchmark are not counted. */
  connections: async () => {
    const text = `
      select count(*) as count
      from pg_stat_activity
      where datname = current_database() and application_name like 'runwright%'`
    return (await database.query({ text }))[0].count
  },
  memory: async () => {
    globalThis.gc?.()
    return process.memoryUsage()
  },
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  await app.stop()
  if (!given) await Promise.all([database.close(), logDatabase.close()])
  await postgres?.stop()
  process.exit(0)
}
process.on('SIGTERM', stop)
// The benchmark has died.
process.on('disconnect', stop)
const fsync = given ? undefined : (await database.query({ text: 'show fsync' }))[0].fsync
console.log(JSON.stringify({ url, fsync, connection }))
