// Whether a process is the server it is said to be. Process ids are handed out again, soon so in containers; what tells
// servers apart is the command line, which names the folder of the socket (new at every start) or the port. It can be
// read of another user's process too, unlike its working directory, for which root needs a capability.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Endpoint } from './endpoint.ts'
import { errorCode } from './error-code.ts'
import { nameForServer, type Site } from './site.ts'

export interface ServerProcess extends Endpoint {
  readonly pid: number
}

/** One that has ended but was not collected by its parent yet has no command line, and is not alive. */
export function isServerAlive({ pid, host, port }: ServerProcess): boolean {
  return hasWords(pid, [`=${host} `, `port=${port} `])
}

/** The same, and it was started on that cluster: a copied folder brings its original's postmaster.pid along. */
export function isServerOf({ clusterDir, account }: Site, server: ServerProcess): boolean {
  return isServerAlive(server) && hasWords(server.pid, [` -D ${nameForServer(clusterDir, account)} `])
}

function hasWords(pid: number, words: string[]): boolean {
  if (!isProcess(pid)) return false
  const command = process.platform === 'win32' ? undefined : commandLineOf(pid)
  return command === undefined || words.every((word) => command.includes(word))
}

export function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Every word of it followed by a space. */
function commandLineOf(pid: number): string {
  if (process.platform !== 'linux') {
    return `${spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()} `
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')) return ''
    throw error
  }
}
