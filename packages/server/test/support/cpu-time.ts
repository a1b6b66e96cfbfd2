// Measures how long work holds the event loop. It measures CPU time, not time, because other processes share the cores,
// and compares it with what a fixed piece of work needs in the same run, because machines differ.
import { readFileSync } from 'node:fs'

/** The CPU time that this thread has used. Where only Linux knows it, that of the process. */
function cpuMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1_000_000
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

interface Turns {
  readonly count: number
  /** The most CPU time of one. */
  readonly longestMs: number
}

/** The turns of the event loop that the work takes. */
export async function turnsOf(work: () => unknown): Promise<Turns> {
  let [count, longestMs, isOver] = [0, 0, false]
  let last = cpuMs()
  const turn = () => {
    const now = cpuMs()
    count += 1
    longestMs = Math.max(longestMs, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  isOver = true
  return { count, longestMs }
}

const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 24_000 }, (_, n) => [`k${n}`, 1])))

/** To parse and print 256 KB of keys. */
function baseline(): number {
  const start = cpuMs()
  JSON.stringify(JSON.parse(keys))
  return cpuMs() - start
}

/** What the baseline needs on two quiet cores. */
const quietBaselineMs = 10

/** How long something takes on two quiet cores that took so long here, where the baseline took so long. */
export const onQuietMachine = (ms: number, baselineMs: number): number =>
  (ms * quietBaselineMs) / Math.max(quietBaselineMs, baselineMs)

/** What `docs/security.md` promises: nothing holds the event loop for longer than this at a time. */
export const promisedTurnMs = 50

/** The first times are slower, because the code is not compiled yet, and other processes can disturb any of them. */
const maxTries = 8

/**
 * How many milliseconds the work holds the event loop at a time, on a machine on which the baseline takes 10 ms. It is
 * repeated until it keeps the promise. Whatever else happens can only add to it, so the smallest result is the best.
 */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  let smallest = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < maxTries && smallest >= promisedTurnMs; tries += 1) {
    const before = baseline()
    const { longestMs } = await turnsOf(work)
    smallest = Math.min(smallest, onQuietMachine(longestMs, Math.min(before, baseline())))
  }
  return smallest
}
