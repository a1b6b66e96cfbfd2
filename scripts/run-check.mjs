// @ts-check
// Runs a program in a process group of its own, so that an interruption ends everything that it has started, also what
// does not listen to signals.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const graceMs = 10_000
const hasGroups = process.platform !== 'win32'
const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

let isInterrupted = false

/** Whether a check has been interrupted. Another signal would end it without the time to clean up. */
export const wasInterrupted = () => isInterrupted

/**
 * Resolves with the exit code: 128 and the number of the signal after an interruption.
 * @param {string[]} args of Node
 * @param {{ cwd: string, graceMs?: number }} options
 * @returns {Promise<{ code: number, isInterrupted: boolean }>}
 */
export function runCheck(args, { cwd, graceMs: grace = graceMs }) {
  // Not the terminal's input: a group in the background that reads it is stopped.
  const child = spawn(process.execPath, args, { cwd, detached: hasGroups, stdio: ['ignore', 'inherit', 'inherit'] })
  /** @type {NodeJS.Signals | undefined} */
  let interruption
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    if (!hasGroups || child.pid === undefined) return child.kill(signal)
    try {
      return process.kill(-child.pid, signal)
    } catch {
      // All of them have ended.
      return false
    }
  }
  const interrupt = (/** @type {NodeJS.Signals} */ signal) => {
    if (interruption === undefined) setTimeout(() => end('SIGKILL'), grace).unref()
    end(interruption === undefined ? signal : 'SIGKILL')
    interruption ??= signal
    isInterrupted = true
  }
  for (const signal of signals) process.on(signal, interrupt)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, interrupt)
      // What it has left behind.
      if (interruption !== undefined) end('SIGKILL')
      const ended = interruption ?? signal
      resolve({
        code: interruption === undefined && code !== null ? code : 128 + constants.signals[ended ?? 'SIGKILL'],
        isInterrupted: interruption !== undefined,
      })
    })
  })
}
