// The service's own PostgreSQL: one service to a data folder. A server that a killed service left behind is taken over;
// a live service's is refused. See advisory-locks.ts for how they are told apart.
import { giveUpShare, tryUseAlone } from './advisory-locks.ts'
import { comesTrue } from './comes-true.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import type { EmbeddedConnection } from './endpoint.ts'
import { isConnectionLoss } from './error-code.ts'
import { openAsService } from './open-as-service.ts'
import { closeServer, type OpenServer } from './open-server.ts'
import { keepServerLogSmall } from './server-log.ts'
import { prepareSite, type Site } from './site.ts'
import type { ServerStart } from './start-server.ts'
import { stopWithParent } from './stop-with-parent.ts'

export interface EmbeddedPostgresOptions {
  /** The cluster lives in `postgres` below it. */
  readonly dataDir: string
  /** Told about work that takes a while. */
  readonly report?: (message: string) => void
  /** For tests: the server stops when this process dies, however it dies. */
  readonly diesWithParent?: boolean
  /** Beyond, or instead of, those in server-settings.ts; a server that runs already keeps its own. */
  readonly settings?: Record<string, string>
  /** Gives up a start that has not come to its end. */
  readonly signal?: AbortSignal
}

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection
  readonly dataDir: string
  readonly how: 'started' | 'attached'
  /** Settles only when the server is gone without `stop()`: the data folder is no longer held. */
  readonly lost: Promise<Error>
  /** Returns when the server is gone. */
  stop(): Promise<void>
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const site = prepareSite(options.dataDir)
  const report = options.report ?? (() => undefined)
  const server = await openAsService(site, { ...options, report })
  return holdServer(site, server, { ...options, report })
}

// A command at work gets this long to finish before the service stops the server under its hands.
const VISITORS_MS = 1_000

function holdServer(site: Site, server: OpenServer, options: EmbeddedPostgresOptions & ServerStart): EmbeddedPostgres {
  const releaseLog = keepServerLogSmall(site, options.report)
  const callOff = options.diesWithParent ? stopWithParent({ pid: server.pid, ...server.connection }) : () => undefined
  let stopped: Promise<void> | undefined
  const lost = new Promise<Error>((resolve) => {
    server.client.once('end', () => stopped ?? resolve(lossOf(site)))
  })
  const stop = async () => {
    releaseLog()
    await waitForVisitors(server)
    await closeServer(site, server)
    callOff()
    await server.client.end()
  }
  return {
    connection: server.connection,
    dataDir: site.dataDir,
    how: server.how,
    lost,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

async function waitForVisitors({ client }: OpenServer): Promise<void> {
  try {
    await giveUpShare(client)
    await comesTrue(() => tryUseAlone(client), VISITORS_MS)
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
  }
}

function lossOf(site: Site): Error {
  return new EmbeddedPostgresError(
    `The connection to PostgreSQL in ${site.clusterDir} was lost; its log is ${site.logFile}.`,
  )
}
