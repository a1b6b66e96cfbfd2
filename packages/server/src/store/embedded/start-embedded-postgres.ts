// The service's own PostgreSQL. A data folder has one service: a server that a killed service left behind is taken
// over, and a folder with a running service is refused. advisory-locks.ts tells them apart.
import { giveUpShare, tryUseAlone } from './advisory-locks.ts'
import { EmbeddedPostgresError } from './cluster/embedded-postgres-error.ts'
import { isConnectionLoss } from './cluster/error-code.ts'
import { prepareSite, type Site } from './cluster/site.ts'
import { comesTrue } from './comes-true.ts'
import type { EmbeddedConnection } from './endpoint.ts'
import { openAsService } from './open-as-service.ts'
import { closeServer, type OpenServer } from './open-server.ts'
import { keepServerLogSmall } from './server-log.ts'
import type { ServerStart } from './start-server.ts'
import { stopWithParent } from './stop-with-parent.ts'

export interface EmbeddedPostgresOptions {
  /** The cluster is its subfolder `postgres`. */
  readonly dataDir: string
  /** Called with messages about work that takes a while. */
  readonly report?: (message: string) => void
  /** For tests: the server stops when this process ends, for any reason. */
  readonly diesWithParent?: boolean
  /** For tests: statements of the superuser that give the service's role more rights in a new cluster. */
  readonly moreRights?: readonly string[]
  /** Added to those in server-settings.ts, or instead of them. A running server keeps its settings. */
  readonly settings?: Record<string, string>
  /** Aborts a start that is not complete. */
  readonly signal?: AbortSignal
}

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection
  readonly dataDir: string
  readonly how: 'started' | 'attached'
  /** Settles only when the server is gone without `stop()`: the data folder is not locked any more. */
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

// How long the service waits for running commands before it stops the server.
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
    `The connection to PostgreSQL in ${site.clusterDir} was lost. Its log is ${site.logFile}.`,
  )
}
