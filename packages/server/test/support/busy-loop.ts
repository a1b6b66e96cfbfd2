// A process whose event loop has no time: each turn takes longer than the timers that tests set.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Holds the event loop for so long. */
export function blockLoop(ms: number): void {
  const end = process.hrtime.bigint() + BigInt(ms) * 1_000_000n
  while (process.hrtime.bigint() < end);
}

/** Keeps the event loop busy with turns of this length until the work has ended. */
export async function keepBusy<T>(turnMs: number, work: Promise<T>): Promise<T> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver) {
    blockLoop(turnMs)
    await nextTurn()
  }
  return work
}
