// The folder of a server's socket: new at every start, so that no other user can have prepared it, and named in
// postmaster.pid, so that it can be found. Its mode keeps other users from connecting, or from listening in the place
// of the server.
import { lstatSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { canReach } from '../site/can-reach.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import { makePrivate } from '../site/own-folder.ts'
import { type Site, serverUid } from '../site/site.ts'

const PREFIX = 'runwright-pg-'

// Linux allows 107 bytes for the path of a socket, macOS 103. With a longer path the server does not start.
const MAX_SOCKET_PATH_BYTES = 103

export function makeSocketFolder(site: Site, port: number): string {
  for (const parent of [tmpdir(), '/tmp']) {
    const folder = fits(parent, port) ? findNewFolder(parent, site) : undefined
    if (folder !== undefined) return folder
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL needs a folder for its socket, and neither ${tmpdir()} nor /tmp can be used. Set TMPDIR to a short path of a writable folder.`,
  )
}

/** Whether only the server's user and root can have created the socket. */
export function isPrivateFolder(folder: string, site: Site): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === serverUid(site) && (stat.mode & 0o077) === 0
}

export function removeSocketFolder(folder: string, site: Site): void {
  if (!basename(folder).startsWith(PREFIX) || !isPrivateFolder(folder, site)) return
  rmSync(folder, { recursive: true, force: true })
}

function fits(parent: string, port: number): boolean {
  return Buffer.byteLength(join(parent, `${PREFIX}XXXXXX`, `.s.PGSQL.${port}`)) <= MAX_SOCKET_PATH_BYTES
}

function findNewFolder(parent: string, site: Site): string | undefined {
  if (statSync(parent, { throwIfNoEntry: false }) === undefined || !canReach(parent, site.account)) return undefined
  try {
    const folder = mkdtempSync(join(parent, PREFIX))
    makePrivate(folder, site.account)
    return folder
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}
