// Stops a server when this process ends, even by kill -9: a shell waits for the end of a pipe that only this process
// holds, and then removes the empty socket folder. For tests, which must not leave servers behind. A service's server
// outlives it.
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { ServerProcess } from './server-liveness.ts'

const whenParentDies = 'read -r _; kill -INT "$0"; for _ in 1 2 3 4 5; do rmdir "$1" && exit; sleep 0.2; done'

/** Returns a function that cancels it. */
export function stopWithParent({ pid, host }: ServerProcess): () => void {
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
