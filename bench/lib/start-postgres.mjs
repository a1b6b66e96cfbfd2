// The PostgreSQL of a benchmark: the embedded one, or a database of its own on the server of BENCH_DATABASE_URL.
import { randomBytes } from 'node:crypto'
import { startEmbeddedPostgres } from '../../packages/server/dist/store/embedded/start-embedded-postgres.js'
import { Database } from '../../packages/server/dist/store/postgres/database.js'
import { withDatabase } from '../../packages/server/dist/store/postgres/server-list.js'

/** A benchmark measures what is written between two checkpoints. */
const moreRights = ['grant pg_checkpoint to runwright_service']

/** Left out: the embedded PostgreSQL. The role must be allowed to create databases. */
export const stockUrl = process.env.BENCH_DATABASE_URL

/** Returns the connection, and `stop`. */
export async function startPostgres({ dataDir }) {
  if (stockUrl === undefined) return startEmbeddedPostgres({ dataDir, moreRights })
  const server = { connectionString: stockUrl }
  const name = `bench_${randomBytes(8).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const stop = () => onServer(server, `drop database ${name} with (force)`)
  return { connection: withDatabase(server, name), stop }
}

async function onServer(connection, text) {
  const database = new Database({ connection, maxConnections: 1, applicationName: 'bench' })
  try {
    await database.run({ text })
  } finally {
    await database.close()
  }
}
