// Stops a server and waits until it is gone. First a fast stop: open transactions are rolled back and a checkpoint is
// written. If that takes too long, an immediate stop: the next start replays the log.
import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareBinaries } from '../programs/binaries.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import type { Site } from '../site/site.ts'
import { isServerAlive, type ServerProcess } from './server-liveness.ts'

interface StopTimeouts {
  readonly fastMs: number
  readonly immediateMs: number
}

// PostgreSQL itself kills what does not end within 5 s of an immediate stop.
const usual: StopTimeouts = { fastMs: 20_000, immediateMs: 10_000 }

const POLL_MS = 4

export async function stopServer(site: Site, server: ServerProcess, waits = usual): Promise<void> {
  if (process.platform === 'win32') return stopOnWindows(site, waits)
  if (await endsAfter('SIGINT', server, waits.fastMs)) return
  if (await endsAfter('SIGQUIT', server, waits.immediateMs)) return
  throw new EmbeddedPostgresError(`PostgreSQL (process ${server.pid}) does not stop. Its log is ${site.logFile}.`)
}

async function endsAfter(signal: NodeJS.Signals, server: ServerProcess, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  if (!isServerAlive(server) || !signalled(server.pid, signal)) return true
  while (isServerAlive(server)) {
    if (performance.now() > deadline) return false
    await pause(POLL_MS)
  }
  return true
}

/** False when it has ended already. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw error
  }
}

// On Windows a signal kills the process. pg_ctl stops it properly.
function stopOnWindows(site: Site, { fastMs, immediateMs }: StopTimeouts): void {
  const { pgCtl } = prepareBinaries(site)
  const stop = (mode: string, ms: number) =>
    spawnSync(pgCtl, ['stop', '-D', site.clusterDir, '-m', mode, '-w', '-t', String(ms / 1000)]).status === 0
  if (!stop('fast', fastMs)) stop('immediate', immediateMs)
}
