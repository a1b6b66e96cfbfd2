// Opens a server of the site: joins a running one, starts one when there is none, and waits while another process
// starts or stops it. When two processes start it at once, PostgreSQL's own lock decides, and the loser joins the
// winner.
import { setTimeout as pause } from 'node:timers/promises'
import { giveUpShare, tryUseAlone } from './advisory-locks.ts'
import { type Attached, attach } from './attach.ts'
import { removeEndpoint } from './server/endpoint.ts'
import { findPostmasterFile } from './server/postmaster-file.ts'
import { type ServerStart, startServer } from './server/start-server.ts'
import { stopServer } from './server/stop-server.ts'
import { EmbeddedPostgresError } from './site/embedded-postgres-error.ts'
import { isConnectionLoss } from './site/error-code.ts'
import type { Site } from './site/site.ts'

export interface OpenServer extends Attached {
  readonly how: 'started' | 'attached'
}

const TURN_MS = 20

// 10 s for a running server that does not answer, or for the last children of a killed one.
const MAX_FRUITLESS_TURNS = 500
const REPORT_EVERY_TURNS = 250

export async function openServer(site: Site, start: ServerStart): Promise<OpenServer> {
  let startedPid: number | undefined
  let fruitless = 0
  for (let turn = 1; fruitless < MAX_FRUITLESS_TURNS; turn += 1) {
    const found = await attach(site)
    if (typeof found === 'object') return { ...found, how: found.pid === startedPid ? 'started' : 'attached' }
    if (found !== 'busy') fruitless += 1
    if (turn % REPORT_EVERY_TURNS === 0)
      start.report(`Waiting for PostgreSQL in ${site.clusterDir}, which is ${found}.`)
    const pid = found === 'absent' ? await startServer(site, start) : undefined
    startedPid = pid ?? startedPid
    if (pid === undefined) await pause(TURN_MS, undefined, { signal: start.signal })
  }
  throw unreachable(site)
}

/** For commands: the last user stops the server. */
export async function leaveServer(site: Site, server: OpenServer): Promise<void> {
  try {
    await giveUpShare(server.client)
    if (await tryUseAlone(server.client)) await closeServer(site, server)
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
  } finally {
    await server.client.end()
  }
}

export async function closeServer(site: Site, server: OpenServer): Promise<void> {
  await stopServer(site, { pid: server.pid, ...server.connection })
  removeEndpoint(server.connection, site)
}

function unreachable(site: Site): EmbeddedPostgresError {
  const pid = findPostmasterFile(site)?.pid
  const which = pid === undefined ? '' : ` (process ${pid})`
  return new EmbeddedPostgresError(
    `A PostgreSQL server${which} holds ${site.clusterDir} but does not answer. Stop it and start again. Its log is ${site.logFile}.`,
  )
}
