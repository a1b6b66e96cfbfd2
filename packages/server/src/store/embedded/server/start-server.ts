// Starts PostgreSQL's server process and waits until it accepts connections. The process has its own session: Ctrl-C in
// a terminal and the end of this process do not stop it.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureCluster } from '../cluster/cluster.ts'
import { secureCluster } from '../cluster/secure-cluster.ts'
import { type Binaries, prepareBinaries } from '../programs/binaries.ts'
import { isRival, programOptions } from '../programs/program.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { nameForServer, type Site } from '../site/site.ts'
import { type Endpoint, makeEndpoint, removeEndpoint } from './endpoint.ts'
import { disownPostmasterFile, findPostmasterFile } from './postmaster-file.ts'
import { isServerAlive } from './server-liveness.ts'
import { openServerLog, readFailure, trimServerLog } from './server-log.ts'
import { serverArguments } from './server-settings.ts'

export interface ServerStart {
  readonly settings?: Record<string, string> | undefined
  readonly moreRights?: readonly string[] | undefined
  readonly report: (message: string) => void
  readonly signal?: AbortSignal | undefined
}

interface Launch extends ServerStart {
  readonly site: Site
  readonly binaries: Binaries
  readonly endpoint: Endpoint
}

type Outcome = { readonly pid: number } | { readonly failure: string }

const POLL_MS = 4
const REPORT_EVERY_MS = 5_000

/** The server's process id; undefined when another server has the cluster. */
export async function startServer(site: Site, start: ServerStart): Promise<number | undefined> {
  const binaries = prepareBinaries(site)
  await ensureCluster({ site, binaries, ...start })
  tidyAfterCrash(site)
  if (!(await secureCluster({ site, binaries, ...start }))) return undefined
  const endpoint = await makeEndpoint(site)
  const outcome = await launch({ site, binaries, endpoint, ...start }).catch(failureOf)
  if ('pid' in outcome) return outcome.pid
  removeEndpoint(endpoint, site)
  start.signal?.throwIfAborted()
  if (isRival(outcome.failure)) return undefined
  throw new EmbeddedPostgresError(`PostgreSQL did not start (${outcome.failure}). Its log is ${site.logFile}.`)
}

function failureOf(error: Error): Outcome {
  return { failure: error.message }
}

function tidyAfterCrash(site: Site): void {
  const left = findPostmasterFile(site)
  if (left !== undefined && !isServerAlive(left)) removeEndpoint(left, site)
  disownPostmasterFile(site)
}

async function launch(request: Launch): Promise<Outcome> {
  trimServerLog(request.site)
  const log = openServerLog(request.site)
  try {
    const offset = fstatSync(log).size
    const child = spawnServer(request, log)
    const ready = await waitUntilReady(child, request)
    if (ready && child.pid !== undefined) return { pid: child.pid }
    return { failure: readFailure(log, offset, child.pid) }
  } finally {
    closeSync(log)
  }
}

function spawnServer({ site, binaries, endpoint, settings }: Launch, log: number): ChildProcess {
  const folder = nameForServer(site.clusterDir, site.account)
  const child = spawn(binaries.postgres, ['-D', folder, ...serverArguments(site, endpoint, settings)], {
    ...programOptions(site, site.clusterDir),
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  return child
}

async function waitUntilReady(child: ChildProcess, { site, report, signal }: Launch): Promise<boolean> {
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  const spawned = new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const reminder = setInterval(
    () => report('PostgreSQL is still starting: after a crash it replays its log.'),
    REPORT_EVERY_MS,
  )
  try {
    await spawned
    while (!ended && !isReady(site, child.pid)) await pause(POLL_MS, undefined, { signal })
    return !ended
  } catch (error) {
    child.kill('SIGINT')
    throw error
  } finally {
    clearInterval(reminder)
  }
}

function isReady(site: Site, pid: number | undefined): boolean {
  const file = findPostmasterFile(site)
  return file?.pid === pid && file?.ready === true
}
