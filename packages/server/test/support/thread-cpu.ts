// The time that the thread of the test has used a processor. Other threads, other processes and waiting do not count,
// so a busy machine does not change it.
import { readFileSync } from 'node:fs'

/** Linux tells the time of each thread. Elsewhere, that of the process is an upper bound. */
function cpuMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

/** How long `work` uses the processor on this thread, until it is done. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = cpuMs()
  await work()
  return cpuMs() - before
}
