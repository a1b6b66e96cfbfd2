// A pause of any length that an abort ends early.
import { sleep } from '../../runtime/backoff.ts'

/** True when the time is over, false when the signal aborted. Loops because one timer holds no more than 24.8 days. */
export async function pause(seconds: number, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + seconds * 1000
  for (let left = end - performance.now(); left > 0 && !signal.aborted; left = end - performance.now()) {
    await sleep(left, signal)
  }
  return !signal.aborted
}
