// Waits for a moment of the run: here if it is near, otherwise parked, so that the run holds no worker.
import { sleep } from '../../runtime/backoff.ts'
import { throwIfAborted } from './abort-reason.ts'
import type { ExecutionContext } from './execution-context.ts'

export interface Parked {
  readonly kind: 'parked'
  readonly dueAtMs: number
}

/** Returns undefined when the time has come. */
export async function waitUntil(context: ExecutionContext, dueAtMs: number): Promise<Parked | undefined> {
  const waitMs = dueAtMs - context.elapsedMs
  if (waitMs > context.parts.providerRetry.parkAboveMs) return { kind: 'parked', dueAtMs }
  if (waitMs > 0) await sleep(waitMs, context.signal)
  throwIfAborted(context.signal)
  return undefined
}
