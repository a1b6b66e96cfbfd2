// When a call may be sent. A worker that was paused does not notice it, so that a call could leave the process after
// another worker has taken the run and a person has decided about the call. Two things prevent that:
//
// - Right before anything leaves, the tool looks at the lease, without an `await` in between.
// - The start of a `once` call is journaled with a moment after which no worker sends it. Who finds such a call without
//   a result waits for that moment by the database's clock, and then for as long as the call may take.
import { setTimeout as delay } from 'node:timers/promises'
import type { JournaledCall } from '../../domain/run/journal.ts'
import { msSet } from '../../runtime/moment.ts'
import { NotSent, type ToolEffect } from '../../tools/port/tool.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'

/** For a tool that no longer exists. */
const usualTimeoutSeconds = 60

/**
 * Opens the window of a `once` call that is about to start, and returns what its journal entry says about it. The
 * window is counted from now, before the entry is written. The time of the run that is journaled is the latest that it
 * can be by the database's clock, so the window closes here first.
 */
export function openWindow(
  context: ExecutionContext,
  { callId, name }: JournaledCall,
  stepMsLeft: number,
): { readonly sendByMs: number; readonly endsByMs: number } {
  trustClocks(context)
  const timeoutSeconds = context.catalogue.find(name)?.timeoutSeconds ?? usualTimeoutSeconds
  const callMs = Math.min(timeoutSeconds * 1000, Math.max(0, stepMsLeft))
  const ms = Math.min(context.lease.holdMs, callMs)
  context.sends.openWindow(callId, ms)
  const sendByMs = Math.ceil(context.clock.elapsedAtMostMs + ms)
  return { sendByMs, endsByMs: Math.ceil(sendByMs + callMs) }
}

/**
 * After the clock of the host was set, the time of the run is not known: a window that closes an hour from now would
 * let a person wait for an hour. A new claim tells the time. The clock watch ends such executions too, but only a
 * moment later, and not those whose claim was under way.
 */
function trustClocks({ lease, signal }: ExecutionContext): void {
  if (msSet(lease.claimedAt) <= lease.holdMs) return
  lease.giveUp()
  throwIfAborted(signal)
}

/** The look right before the call leaves the process. */
export function lookBeforeCall(context: ExecutionContext, { callId }: JournaledCall, effect: ToolEffect): void {
  const isOpen = effect !== 'once' || context.sends.isWindowOpen(callId)
  if (!isOpen || !context.lease.isHeld()) throw new NotSent()
}

const renewPauseMs = 250

/** Waits until the database confirms that this worker holds the run. Throws when the execution was aborted. */
export async function holdLease({ lease, signal }: ExecutionContext): Promise<void> {
  for (let tries = 0; !lease.isHeld(); tries += 1) {
    if (tries > 0) await delay(renewPauseMs, undefined, { signal }).catch(() => undefined)
    throwIfAborted(signal)
    await lease.renew()
  }
  throwIfAborted(signal)
}
