// A database of one's own for a test file, copied from the migrated template.
import { randomBytes } from 'node:crypto'
import { type ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { templateName } from './postgres.ts'
import { testPostgres } from './test-postgres.ts'

export interface FreshDatabase {
  readonly connection: ConnectionOptions
  readonly database: Database
  open(maxConnections?: number): Database
  drop(): Promise<void>
}

export async function freshDatabase({ migrated = true } = {}): Promise<FreshDatabase> {
  const server = await testPostgres()
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = new Database({ connection: server, maxConnections: 1, applicationName: 'runwright test' })
  await admin.query({
    text: `create database ${name}${migrated ? ` template ${templateName} strategy file_copy` : ''}`,
  })
  const connection = { ...server, database: name }
  const opened: Database[] = []
  const open = (maxConnections = 4) => {
    const database = new Database({ connection, maxConnections, applicationName: 'runwright test' })
    opened.push(database)
    return database
  }
  const drop = async () => {
    await Promise.all(opened.map((database) => database.close().catch(() => undefined)))
    await admin.run({ text: `drop database if exists ${name} with (force)` })
    await admin.close()
  }
  return { connection, database: open(), open, drop }
}
