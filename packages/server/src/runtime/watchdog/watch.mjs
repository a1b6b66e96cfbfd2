// @ts-check
// The watchdog's program in the side thread. It counts its own ticks since the last beat of the event loop, not the
// time: a process that was paused has paused this thread, too.
import { write } from 'node:fs'
import { readStack } from './read-stack.mjs'

/** @typedef {import('./watchdog.ts').WatchdogData} WatchdogData */

const longestTickMs = 1000
const ticksOfLimit = 20
/** A reader of the log that hangs must not keep the process alive. */
const writeMs = 1000

/** @param {WatchdogData} data */
export function start(data) {
  const silence = new Silence(data.heartbeat)
  const tickMs = Math.min(longestTickMs, data.limitMs / ticksOfLimit)
  const timer = setInterval(() => {
    if (silence.tick() * tickMs < data.limitMs) return
    clearInterval(timer)
    void endProcess(data)
  }, tickMs)
}

/** Counts ticks without a beat. */
export class Silence {
  #heartbeat
  #lastBeat = -1
  #ticks = 0

  /** @param {SharedArrayBuffer} heartbeat */
  constructor(heartbeat) {
    this.#heartbeat = new Int32Array(heartbeat)
  }

  /** Returns how many ticks have passed since the last beat. A debugger may stop the event loop for any time. */
  tick() {
    const [beat = 0, isDebugged] = [Atomics.load(this.#heartbeat, 0), Atomics.load(this.#heartbeat, 1) === 1]
    this.#ticks = beat === this.#lastBeat && !isDebugged ? this.#ticks + 1 : 0
    this.#lastBeat = beat
    return this.#ticks
  }
}

/**
 * `process.exit` would end this thread only, and signals that Node handles wait for the event loop.
 * @param {WatchdogData} data
 */
async function endProcess(data) {
  const kill = () => void process.kill(process.pid, 'SIGKILL')
  if (!data.logged) return kill()
  const line = lineOf(data, await readStack())
  setTimeout(kill, writeMs)
  return write(1, `${JSON.stringify(line)}\n`, kill)
}

/**
 * @param {WatchdogData} data
 * @param {readonly string[]} stack
 */
function lineOf({ logged, board, limitMs }, stack) {
  return {
    level: 'fatal',
    time: new Date().toISOString(),
    ...logged,
    blocked_seconds: limitMs / 1000,
    ...readBoard(board),
    stack,
    msg: 'the event loop is blocked; the process kills itself',
  }
}

/**
 * What the runs are doing, and which of them holds the event loop if that is known.
 * @param {WatchdogData['board']} board
 */
export function readBoard({ shared, layout }) {
  const [holder = 0, unlisted = 0] = new Int32Array(shared, 0, 2)
  const bytes = Buffer.from(shared, 8)
  const lines = Array.from({ length: layout.lines }, (_, index) => {
    const at = index * layout.lineBytes
    return bytes.toString('latin1', at + 1, at + 1 + (bytes[at] ?? 0))
  })
  const runIdOf = (/** @type {string} */ line) => line.slice(0, line.indexOf(' '))
  return {
    runs: lines
      .filter((line) => line !== '')
      .map((line) => ({ run_id: runIdOf(line), phase: line.slice(line.indexOf(' ') + 1) })),
    ...(holder > 0 && { blocked_by: runIdOf(lines[holder - 1] ?? '') }),
    ...(unlisted > 0 && { unlisted_runs: unlisted }),
  }
}
