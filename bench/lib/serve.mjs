// A service under measurement: the real app on a real PostgreSQL with fsync on. argv: JSON of what differs from the default.
import { randomBytes } from 'node:crypto'
import { bootstrapKeys } from '../../packages/server/dist/access/bootstrap.js'
import { createApp } from '../../packages/server/dist/app.js'
import { createLogger } from '../../packages/server/dist/runtime/logger.js'
import { readSettings } from '../../packages/server/dist/runtime/settings.js'
import { Database } from '../../packages/server/dist/store/database.js'
import { startEmbeddedPostgres } from '../../packages/server/dist/store/embedded/start-embedded-postgres.js'
import { migrate } from '../../packages/server/dist/store/migrate.js'
import { benchKey } from './service.mjs'

const { grouping } = JSON.parse(process.argv[2] ?? '{}')
const settings = readSettings({
  RUNWRIGHT_PORT: '0',
  RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0',
  RUNWRIGHT_LOG_LEVEL: 'warn',
  RUNWRIGHT_BOOTSTRAP_KEYS: `bench=${benchKey}`,
  ...process.env,
})
const logger = createLogger({ level: 'warn' })
const postgres = await startEmbeddedPostgres({ dataDir: settings.database.dataDir })
const { connection } = postgres
const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
const database = new Database({ connection, maxConnections: 4, applicationName: 'bench' })
await migrate(database)
await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
const app = createApp({ settings, connection, secrets, logger, ...(grouping && { grouping }) })
const url = await app.start()

const answers = {
  count: async ({ table }) => (await database.query({ text: `select count(*) as count from ${table}` }))[0].count,
  memory: async () => {
    globalThis.gc?.()
    return process.memoryUsage()
  },
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
process.on('SIGTERM', async () => {
  await app.stop()
  await database.close()
  await postgres.stop()
  process.exit(0)
})
console.log(JSON.stringify({ url, fsync: (await database.query({ text: 'show fsync' }))[0].fsync, connection }))
