// Sleeps for any length of time, until an abort.
import { sleep } from '../../runtime/backoff.ts'

/** True when the time is up, false when the signal aborted. Loops because a timer is limited to 24.8 days. */
export async function pause(seconds: number, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + seconds * 1000
  for (let left = end - performance.now(); left > 0 && !signal.aborted; left = end - performance.now()) {
    await sleep(left, signal)
  }
  return !signal.aborted
}
