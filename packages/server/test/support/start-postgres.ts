// Starts the PostgreSQL of the tests, with a migrated template that each test file copies its database from.
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICE_ROLE } from '../../src/store/embedded/cluster/roles.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/start-embedded-postgres.ts'
import { type ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'

export interface TestServer {
  readonly connection: ConnectionOptions
  stop(): Promise<void>
}

export async function startTestServer(templateName: string): Promise<TestServer> {
  const server = await startServer()
  await makeTemplate(server.connection, templateName)
  return server
}

/** `TEST_DATABASE_URL` names another server, for trying the tests on other versions of PostgreSQL. */
async function startServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    const { hostname, port, username, password } = new URL(url)
    const connection = { host: hostname, port: Number(port || 5432), user: username, password, database: 'postgres' }
    return { connection, stop: async () => undefined }
  }
  const dataDir = await mkdtemp(join(await quickFolder(), 'runwright-test-'))
  const settings = { max_connections: '200' }
  const embedded = await startEmbeddedPostgres({ dataDir, diesWithParent: true, moreRights, settings })
  await relaxCommits(embedded.connection)
  const stop = async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { connection: embedded.connection, stop }
}

/** Each test file has a database of its own, and one test stops the tracking of connections. */
const moreRights = [
  `alter role ${SERVICE_ROLE} createdb`,
  `grant set on parameter track_activities to ${SERVICE_ROLE}`,
  // To drop a database ends its autovacuum worker, too.
  `grant pg_signal_backend to ${SERVICE_ROLE}`,
]

/** In memory if there is room: on a disk, dropping a database takes half a second. */
async function quickFolder(): Promise<string> {
  const memory = '/dev/shm'
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return free > 4e9 ? memory : tmpdir()
}

/** Commits do not wait for the disk: this server outlives every test, and tests that stop a server start their own. */
async function relaxCommits(connection: ConnectionOptions): Promise<void> {
  const admin = new Database({ connection, maxConnections: 1, applicationName: 'runwright test' })
  await admin.run({ text: 'alter role current_user set synchronous_commit = off' })
  await admin.close()
}

async function makeTemplate(connection: ConnectionOptions, templateName: string): Promise<void> {
  const admin = new Database({ connection, maxConnections: 1, applicationName: 'runwright test' })
  await admin.run({ text: `drop database if exists ${templateName}` })
  await admin.run({ text: `create database ${templateName}` })
  await admin.close()
  const template = new Database({
    connection: { ...connection, database: templateName },
    maxConnections: 1,
    applicationName: 'runwright test',
  })
  await migrate(template)
  await template.close()
}
