// Opens a server as the one service of the data folder, or names the Runwright that already is.
import { findServiceHolder, giveUpShare, tryBecomeService, tryShareUse } from './advisory-locks.ts'
import { comesTrue } from './comes-true.ts'
import { type OpenServer, openServer } from './open-server.ts'
import type { ServerStart } from './server/start-server.ts'
import { EmbeddedPostgresError } from './site/embedded-postgres-error.ts'
import { isConnectionLoss } from './site/error-code.ts'
import type { Site } from './site/site.ts'

// Longer than a service takes to stop: a service that is stopping is not reported as running.
const HANDOVER_MS = 1_500

const MAX_ATTEMPTS = 5

export async function openAsService(site: Site, start: ServerStart): Promise<OpenServer> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const server = await openServer(site, start)
    if (await claim(site, server)) return server
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL in ${site.clusterDir} was stopped repeatedly while Runwright was starting. Its log is ${site.logFile}.`,
  )
}

/** False when the server has stopped: the previous service stops it. */
async function claim(site: Site, server: OpenServer): Promise<boolean> {
  let claimed = false
  try {
    const answer = await becomeService(server)
    if (answer === 'no') throw await refusalOf(site, server)
    claimed = answer === 'yes'
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
  } finally {
    if (!claimed) await server.client.end()
  }
  return claimed
}

async function becomeService({ client }: OpenServer): Promise<'yes' | 'no' | 'again'> {
  if (await tryBecomeService(client)) return 'yes'
  // A service that is stopping would wait for us, and PostgreSQL takes a moment to notice a killed one.
  await giveUpShare(client)
  if (!(await comesTrue(() => tryBecomeService(client), HANDOVER_MS))) return 'no'
  return (await tryShareUse(client)) ? 'yes' : 'again'
}

async function refusalOf(site: Site, { client }: OpenServer): Promise<EmbeddedPostgresError> {
  const holder = await findServiceHolder(client)
  const since = holder === undefined ? '' : ` since ${holder.since.toISOString()}`
  return new EmbeddedPostgresError(
    `Another ${holder?.name ?? 'Runwright'} has been running on the data folder ${site.dataDir}${since}. Stop it first, or set RUNWRIGHT_DATA_DIR to another folder.`,
  )
}
