// Waits for a moment of the run: here if it is near, otherwise parked, so that the run holds no worker.
import { sleep } from '../../runtime/backoff.ts'
import { throwIfAborted } from './abort-reason.ts'
import type { EngineParts } from './engine-parts.ts'
import type { RunClock } from './run-clock.ts'

export interface Parked {
  readonly kind: 'parked'
  readonly dueAtMs: number
}

/** The execution that waits. */
interface Waiting {
  readonly clock: RunClock
  readonly signal: AbortSignal
  readonly parts: Pick<EngineParts, 'providerRetry'>
}

/** Returns undefined when the time has come. */
export async function waitUntil({ clock, signal, parts }: Waiting, dueAtMs: number): Promise<Parked | undefined> {
  const waitMs = dueAtMs - clock.elapsedMs
  if (waitMs > parts.providerRetry.parkAboveMs) return { kind: 'parked', dueAtMs }
  if (waitMs > 0) await sleep(waitMs, signal)
  throwIfAborted(signal)
  return undefined
}
