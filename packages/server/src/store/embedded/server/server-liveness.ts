// Whether a process is the expected server. Process ids are reused, soon in containers. The command line identifies a
// server: it names the folder of the socket (new at every start) or the port. Unlike the working directory, it can be
// read for processes of other users, too.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { errorCode } from '../site/error-code.ts'
import { nameForServer, type Site } from '../site/site.ts'
import type { Endpoint } from './endpoint.ts'

export interface ServerProcess extends Endpoint {
  readonly pid: number
}

/** A process that has ended but was not collected by its parent has no command line, and counts as ended. */
export function isServerAlive({ pid, host, port }: ServerProcess): boolean {
  return hasWords(pid, [`=${host} `, `port=${port} `])
}

/** Also checks that it was started on that cluster: a copied folder contains the postmaster.pid of the original. */
export function isServerOf({ clusterDir, account }: Site, server: ServerProcess): boolean {
  return isServerAlive(server) && hasWords(server.pid, [` -D ${nameForServer(clusterDir, account)} `])
}

export function isSingleUserServer(pid: number): boolean {
  return hasWords(pid, [' --single '])
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

/** The words of the command line, each followed by a space. */
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
