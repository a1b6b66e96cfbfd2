// What a reader of a guide has before the first step: a folder with Runwright in it, free ports, and an empty database.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/store/postgres/database.ts'
import { freshDatabase } from '../support/database.ts'
import { urlOf } from '../support/processes.ts'
import type { ReaderOptions } from './reader.ts'

const modules = join(import.meta.dirname, '../../../../node_modules')

/** The packages that the guides install in blocks that are only shown. */
const installed = ['@runwright', '@modelcontextprotocol', 'express']

// npx itself takes half a second for every command.
const npx = `#!/bin/sh
[ "$1" = -y ] && shift
program=$1
shift
case $program in @modelcontextprotocol/*) program=mcp-\${program#*/} ;; esac
exec "${modules}/.bin/$program" "$@"
`

const portsOfGuides = ['8080', '8081', '3000']
const databaseOfGuides = 'postgres://runwright@127.0.0.1:5432/runwright'

export interface ReaderHome extends ReaderOptions {
  readonly database: Database
  remove(): Promise<void>
}

interface HomeOptions {
  readonly env: Readonly<Record<string, string>>
  /** Whether the database has its tables already. A start would create them, but copies are faster. */
  readonly migrated: boolean
}

export async function newReaderHome({ env, migrated }: HomeOptions): Promise<ReaderHome> {
  const root = mkdtempSync(join(tmpdir(), 'runwright-guide-'))
  const folder = join(root, 'my-agents')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  for (const name of installed) symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin/npx'), npx, { mode: 0o755 })
  const database = await freshDatabase({ migrated })
  const databaseUrl = urlOf(database.connection)
  const replacements = new Map([[databaseOfGuides, databaseUrl]])
  for (const said of portsOfGuides) replacements.set(said, await freePort([...replacements.values()]))
  const path = `${join(root, 'bin')}:${process.env.PATH ?? ''}`
  const port = replacements.get('8080') ?? ''
  const remove = async () => {
    await database.drop()
    rmSync(root, { recursive: true, force: true })
  }
  const basics = { PATH: path, HOME: root, TMPDIR: tmpdir(), DATABASE_URL: databaseUrl, RUNWRIGHT_PORT: port }
  return { folder, env: { ...basics, ...env }, replacements, database: database.database, remove }
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
