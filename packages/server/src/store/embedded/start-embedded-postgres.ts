// The service's own PostgreSQL. A data folder has one service: a server that a killed service left behind is taken
// over, and a folder with a running service is refused. advisory-locks.ts tells them apart.

import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { giveUpShare, tryUseAlone } from './advisory-locks.ts'
import { comesTrue } from './comes-true.ts'
import { openAsService } from './open-as-service.ts'
import { closeServer, type OpenServer } from './open-server.ts'
import type { EmbeddedConnection } from './server/endpoint.ts'
import type { ServerProcess } from './server/server-liveness.ts'
import { keepServerLogSmall } from './server/server-log.ts'
import type { ServerStart } from './server/start-server.ts'
import { EmbeddedPostgresError } from './site/embedded-postgres-error.ts'
import { isConnectionLoss } from './site/error-code.ts'
import { prepareSite, type Site } from './site/site.ts'

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

const whenParentDies = 'read -r _; kill -INT "$0"; for _ in 1 2 3 4 5; do rmdir "$1" && exit; sleep 0.2; done'

/**
 * Stops a server when this process ends, even by kill -9: a shell waits for the end of a pipe that only this process
 * holds, and then removes the empty socket folder. For tests, which must not leave servers behind. A service's server
 * outlives it. Returns a function that cancels it.
 */
function stopWithParent({ pid, host }: ServerProcess): () => void {
  if (process.platform === 'win32') return () => undefined
  const shell = spawn('/bin/sh', ['-c', whenParentDies, String(pid), host], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  if (shell.stdin instanceof Socket) shell.stdin.unref()
  return () => shell.kill('SIGKILL')
}
