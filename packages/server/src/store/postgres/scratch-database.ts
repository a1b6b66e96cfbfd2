// A database for one command, on the server of another one. Dropped at the end.
import { randomBytes } from 'node:crypto'
import { type ConnectionOptions, Database } from './database.ts'
import { withDatabase } from './server-list.ts'

interface ScratchDatabase {
  readonly connection: ConnectionOptions
  drop(): Promise<void>
}

/** `connection` names a database of the server; its role must be allowed to create databases. */
export async function createScratchDatabase(connection: ConnectionOptions): Promise<ScratchDatabase> {
  const name = `runwright_eval_${randomBytes(8).toString('hex')}`
  const admin = new Database({ connection, maxConnections: 1, applicationName: 'runwright eval' })
  try {
    await admin.run({ text: `create database ${name}` })
  } catch (error) {
    await admin.close()
    throw error
  }
  const drop = async () => {
    await admin.run({ text: `drop database if exists ${name} with (force)` })
    await admin.close()
  }
  return { connection: withDatabase(connection, name), drop }
}
