// A running server of a version whose service was the superuser: its cluster has no role for the service yet, and only
// a start can create one. The server was left behind by a service that was killed, or it is in use.
import { Client } from 'pg'
import { tryUseAlone } from './advisory-locks.ts'
import { SUPERUSER } from './cluster/roles.ts'
import { comesTrue } from './comes-true.ts'
import { connectionTo, removeEndpoint } from './server/endpoint.ts'
import type { PostmasterFile } from './server/postmaster-file.ts'
import { serves } from './server/serves.ts'
import { stopServer } from './server/stop-server.ts'
import { EmbeddedPostgresError } from './site/embedded-postgres-error.ts'
import { errorCode, isConnectionLoss } from './site/error-code.ts'
import type { Site } from './site/site.ts'

// PostgreSQL takes a moment to notice that a process was killed.
const HANDOVER_MS = 1_500

/**
 * Stops it, if no process uses it. `foreign`: it is the server of another folder, of which this one is a copy.
 * `refused`: the password is not that of the superuser either.
 */
export async function retireOutdated(site: Site, file: PostmasterFile): Promise<'retired' | 'foreign' | 'refused'> {
  const client = new Client({ ...connectionTo(file, site), user: SUPERUSER }).on('error', () => undefined)
  try {
    await client.connect()
    if (!(await serves(client, site))) return 'foreign'
    if (!(await comesTrue(() => tryUseAlone(client), HANDOVER_MS))) throw stillInUse(site)
    await stopServer(site, file)
    removeEndpoint(file, site)
    return 'retired'
  } catch (error) {
    if (errorCode(error)?.startsWith('28')) return 'refused'
    // It is stopping already.
    if (isConnectionLoss(error)) return 'retired'
    throw error
  } finally {
    await client.end()
  }
}

const stillInUse = ({ dataDir }: Site): EmbeddedPostgresError =>
  new EmbeddedPostgresError(`An earlier version of Runwright is running on the data folder ${dataDir}. Stop it first.`)
