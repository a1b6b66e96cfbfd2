// postmaster.pid: the process id of a server and where it listens. The file remains after a crash.
import { closeSync, constants, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '../../../runtime/files/own-file.ts'
import { errorCode } from '../site/error-code.ts'
import type { Site } from '../site/site.ts'
import { isProcess, isServerOf, isSingleUserServer, type ServerProcess } from './server-liveness.ts'

export interface PostmasterFile extends ServerProcess {
  readonly ready: boolean
}

const UNFINISHED_AFTER_MS = 5_000

/** Undefined also while the file is being written. */
export function findPostmasterFile(site: Site): PostmasterFile | undefined {
  const [pid, , , port, socketFolder, address, , status] = readLines(site)
  const host = site.transport === 'socket' ? socketFolder : address
  if (!(Number(pid) > 0) || !host) return undefined
  return { pid: Number(pid), host, port: Number(port), ready: status?.trim() === 'ready' }
}

/**
 * PostgreSQL does not start when the process in a remaining file exists. After a restart in a container that is likely,
 * and it would never start again. It accepts a file that names its own parent, so this writes our process id into it.
 * Deleting the file would lose the id of the shared memory, by which PostgreSQL finds the last children of a killed
 * server.
 */
export function disownPostmasterFile(site: Site): void {
  removeIfUnfinished(site)
  const file = findPostmasterFile(site)
  if (file === undefined || !isProcess(file.pid) || isServerOf(site, file)) return
  const [, ...rest] = readLines(site)
  overwrite(pathOf(site), [process.pid, ...rest].join('\n'))
}

/** A link is not followed, because root may be writing. */
function overwrite(path: string, text: string): void {
  const { O_WRONLY, O_TRUNC, O_NOFOLLOW = 0 } = constants
  const file = openSync(path, O_WRONLY | O_TRUNC | O_NOFOLLOW)
  try {
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

// A server completes its file within milliseconds. PostgreSQL may take an incomplete file, left by a power cut, for a
// server that is starting, and wait for ever. The file of a server in single-user mode has a negative process id.
function removeIfUnfinished(site: Site): void {
  const stat = lstatSync(pathOf(site), { throwIfNoEntry: false })
  if (stat === undefined || findPostmasterFile(site) !== undefined) return
  const [pid] = readLines(site)
  if (Number(pid) < 0 && isSingleUserServer(-Number(pid))) return
  if (Date.now() - stat.mtimeMs > UNFINISHED_AFTER_MS) rmSync(pathOf(site), { force: true })
}

function readLines(site: Site): string[] {
  try {
    return readOwnFile(pathOf(site)).split('\n')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

function pathOf(site: Site): string {
  return join(site.clusterDir, 'postmaster.pid')
}
