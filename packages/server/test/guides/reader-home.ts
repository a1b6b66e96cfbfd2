// What a reader of the guides has before the first step: a folder with a checkout of Runwright in it, free ports, and
// for the guide that needs it an empty database.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/store/postgres/database.ts'
import { freshDatabase } from '../support/database.ts'
import { urlOf } from '../support/processes.ts'
import type { ReaderOptions } from './reader.ts'

const project = join(import.meta.dirname, '../../../..')

/** npm then asks the registry nothing. */
const quietNpm = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }

const portsOfGuides = [
  ...Array.from({ length: 11 }, (_, n) => String(8080 + n)),
  '3000',
  '3001',
  '3002',
  '3003',
  '3004',
  '3005',
]
const databaseOfGuides = 'postgres://runwright@127.0.0.1:5432/runwright'

export interface ReaderHome extends ReaderOptions {
  readonly database: Database
  /** Of the database that a guide may use. */
  readonly databaseUrl: string
  remove(): Promise<void>
}

interface HomeOptions {
  /** Whether the database has its tables already. */
  readonly migrated: boolean
}

export async function newReaderHome({ migrated }: HomeOptions): Promise<ReaderHome> {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-guide-'))
  symlinkSync(project, join(folder, 'runwright'))
  const database = await freshDatabase({ migrated })
  const databaseUrl = urlOf(database.connection)
  const replacements = new Map([[databaseOfGuides, databaseUrl]])
  for (const said of portsOfGuides) replacements.set(said, await freePort([...replacements.values()]))
  const remove = async () => {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
  // The first guide uses the default port.
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TMPDIR: tmpdir(),
    ...quietNpm,
    RUNWRIGHT_PORT: replacements.get('8080') ?? '',
  }
  return { folder, env, replacements, database: database.database, databaseUrl, remove }
}

/** Below the ports that the system gives to connections, so that none of them takes it before the guide does. */
async function freePort(taken: readonly string[]): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (!taken.includes(String(port)) && (await isFree(port))) return String(port)
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
