// Joins a running server of the site: finds it by its postmaster.pid, checks that it belongs to this cluster, and takes
// the shared lock.
import { Client } from 'pg'
import { tryShareUse } from './advisory-locks.ts'
import { passwordFile } from './cluster/password.ts'
import { retireOutdated } from './retire-outdated.ts'
import { connectionTo, type EmbeddedConnection } from './server/endpoint.ts'
import { findPostmasterFile, type PostmasterFile } from './server/postmaster-file.ts'
import { isServerOf } from './server/server-liveness.ts'
import { serves } from './server/serves.ts'
import { isPrivateFolder } from './server/socket-folder.ts'
import { EmbeddedPostgresError } from './site/embedded-postgres-error.ts'
import { errorCode, isConnectionLoss } from './site/error-code.ts'
import type { Site } from './site/site.ts'

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

async function judge(error: unknown, site: Site, file: PostmasterFile): Promise<Absence> {
  if (errorCode(error)?.startsWith('28')) {
    const outcome = await retireOutdated(site, file)
    if (outcome === 'refused') throw wrongPassword(site)
    return outcome === 'retired' ? 'busy' : withoutAnswer(site, file)
  }
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
