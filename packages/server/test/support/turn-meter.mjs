// A module for `node --import` that measures the turns of a service's event loop, in CPU time of its main thread. On
// SIGUSR2, it prints the longest one since the last signal, and how long a fixed piece of work takes.
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Where only Linux knows the CPU time of a thread, that of the process is an upper bound. */
function cpuMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1_000_000
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 24_000 }, (_, n) => [`k${n}`, 1])))

function baselineMs() {
  const start = cpuMs()
  JSON.stringify(JSON.parse(keys))
  return cpuMs() - start
}

let [longestMs, last, reports] = [0, cpuMs(), 0]

function endTurn() {
  const now = cpuMs()
  longestMs = Math.max(longestMs, now - last)
  last = now
}

/** A timer of a millisecond ends a turn soon enough: turns without work use no CPU time. */
function watch() {
  endTurn()
  setTimeout(watch, 1).unref()
}

function report() {
  endTurn()
  reports += 1
  process.stderr.write(`turns ${reports}: ${JSON.stringify({ longestMs, baselineMs: baselineMs() })}\n`)
  ;[longestMs, last] = [0, cpuMs()]
}

if (isMainThread) {
  process.on('SIGUSR2', report)
  watch()
}
