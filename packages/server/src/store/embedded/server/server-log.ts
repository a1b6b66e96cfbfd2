// The server's log, <dataDir>/postgres.log: the server's standard error, kept small. The server appends, so the file
// can be emptied while it runs. The previous content is kept beside it.
import {
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs'
import { errorCode } from '../site/error-code.ts'
import type { Site } from '../site/site.ts'

const LIMIT_BYTES = 8 * 1024 * 1024
const CHECK_EVERY_MS = 60_000

/** For a new server. A symbolic link is not followed, because root may be writing. */
export function openServerLog({ logFile, account }: Site): number {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants
  const log = openSync(logFile, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  if (account !== undefined) fchownSync(log, account.uid, account.gid)
  return log
}

/** Empties it when it is larger than the limit. */
export function trimServerLog(site: Site, limitBytes = LIMIT_BYTES): void {
  const log = openServerLog(site)
  try {
    if (fstatSync(log).size <= limitBytes) return
    rmSync(`${site.logFile}.1`, { force: true })
    copyFileSync(site.logFile, `${site.logFile}.1`, constants.COPYFILE_EXCL)
    ftruncateSync(log)
  } finally {
    closeSync(log)
  }
}

/** Keeps it small until the returned function is called. */
export function keepServerLogSmall(site: Site, report: (message: string) => void): () => void {
  const timer = setInterval(() => {
    try {
      trimServerLog(site)
    } catch (error) {
      report(`Could not truncate PostgreSQL's log ${site.logFile} (${errorCode(error)}).`)
    }
  }, CHECK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Why a server stopped: its last fatal line since `offset`, otherwise its last line. */
export function readFailure(log: number, offset: number, pid: number | undefined): string {
  const lines = readFrom(log, offset)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const fatal = lines.filter((line) => line.includes(`[${pid}]`) && /FATAL|PANIC/.test(line)).at(-1)
  return (fatal ?? lines.at(-1) ?? 'it said nothing').replace(/^.*?(FATAL|PANIC):\s+/, '')
}

function readFrom(log: number, offset: number): string {
  const buffer = Buffer.alloc(Math.max(0, Math.min(fstatSync(log).size - offset, 64 * 1024)))
  return buffer.toString('utf8', 0, readSync(log, buffer, 0, buffer.length, offset))
}
