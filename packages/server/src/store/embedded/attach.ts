// Joins a running server of the site: finds it by its postmaster.pid, checks that it belongs to this cluster, and takes
// the shared lock.
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { tryShareUse } from './advisory-locks.ts'
import { EmbeddedPostgresError } from './cluster/embedded-postgres-error.ts'
import { errorCode, isConnectionLoss } from './cluster/error-code.ts'
import { passwordFile } from './cluster/password.ts'
import type { Site } from './cluster/site.ts'
import { connectionTo, type EmbeddedConnection } from './endpoint.ts'
import { findPostmasterFile, type PostmasterFile } from './postmaster-file.ts'
import { isServerOf } from './server-liveness.ts'
import { isPrivateFolder } from './socket-folder.ts'

export interface Attached {
  /** Holds the shared lock while it is open. */
  readonly client: Client
  readonly connection: EmbeddedConnection
  readonly pid: number
}

/** busy: starting, stopping, or about to be stopped by its last user. silent: running, but not reachable. */
type Absence = 'absent' | 'busy' | 'silent'

export async function attach(site: Site): Promise<Attached | Absence> {
  const file = findPostmasterFile(site)
  if (file === undefined) return 'absent'
  if (site.transport === 'socket' && !isPrivateFolder(file.host, site)) return withoutAnswer(site, file)
  const client = newClient(connectionTo(file, site))
  const found = await enter(client, site, file).catch((error) => judge(error, site, file))
  if (typeof found === 'string') await client.end()
  return found
}

function newClient(connection: EmbeddedConnection): Client {
  const client = new Client({ ...connection, application_name: `Runwright (process ${process.pid})` })
  // A lost connection shows in the next query and in 'end'. Without a listener, this event would end the process.
  client.on('error', () => undefined)
  return client
}

async function enter(client: Client, site: Site, file: PostmasterFile): Promise<Attached | Absence> {
  await client.connect()
  if (!(await serves(client, site))) return withoutAnswer(site, file)
  if (!(await tryShareUse(client))) return 'busy'
  return { client, connection: connectionTo(file, site), pid: file.pid }
}

// A mark in the folder that the server must see. The server's path of the folder proves nothing: the folder may have
// been copied or mounted elsewhere, or the path is /proc/self/cwd (see site.ts).
async function serves(client: Client, { clusterDir }: Site): Promise<boolean> {
  const mark = `runwright-${randomUUID()}`
  writeFileSync(join(clusterDir, mark), '', { flag: 'wx' })
  try {
    const { rows } = await client.query<{ seen: boolean }>('select (pg_stat_file($1, true)).size is not null as seen', [
      mark,
    ])
    return rows[0]?.seen === true
  } finally {
    rmSync(join(clusterDir, mark), { force: true })
  }
}

function judge(error: unknown, site: Site, file: PostmasterFile): Absence {
  if (errorCode(error)?.startsWith('28')) throw wrongPassword(site)
  if (!isConnectionLoss(error)) throw error
  return errorCode(error)?.startsWith('57P') ? 'busy' : withoutAnswer(site, file)
}

function wrongPassword(site: Site): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL in ${site.clusterDir} refuses the password in ${passwordFile(site)}. Stop that PostgreSQL, delete the file and start again: a new password is set.`,
  )
}

function withoutAnswer(site: Site, file: PostmasterFile): Absence {
  return isServerOf(site, file) ? 'silent' : 'absent'
}
