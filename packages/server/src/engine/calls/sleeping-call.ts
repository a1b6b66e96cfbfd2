// Calls that only wait. They are parked instead of made.
import { journalEntry } from '../../domain/run/journal.ts'
import { checkInput } from '../../tools/port/check-input.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { CallEnd, CallOptions } from './call-end.ts'
import { finishCall } from './finish-call.ts'
import type { PreparedCall } from './prepared-call.ts'
import type { SeenResult } from './secret-calls.ts'

/** A shorter wait is not worth a journal entry. */
const shortestSleepMs = 100

/**
 * Parks a call that only waits, so that it holds no worker if the wait is long or the place is needed. Returns
 * undefined when the call is to be made normally. A call that waits longer than its step may take sleeps until the step
 * times out.
 */
export async function sleepInstead(
  context: ExecutionContext,
  prepared: PreparedCall,
  options: CallOptions,
): Promise<CallEnd | undefined> {
  const { call, tool, isAllowed, input } = prepared
  if (tool?.sleepMs === undefined || !isAllowed) return undefined
  const known = context.ledger.progress.turns.sleeps.get(call.callId)
  if (known) return endSleep(context, prepared, { ...known, step: options.step })
  const checked = await checkInput(tool, input)
  const sleepMs = checked.ok ? tool.sleepMs(checked.input) : 0
  if (sleepMs <= shortestSleepMs) return undefined
  const stepMs = options.stepMsLeft()
  const dueAtMs = Math.round(context.clock.elapsedMs + Math.min(sleepMs, stepMs))
  const body = {
    sinceMs: Math.round(context.clock.elapsedMs),
    dueAtMs,
    ...(sleepMs > stepMs && { exceedsStep: true as const }),
  }
  await context.ledger.apply({ journal: [journalEntry('sleep', call.callId, body)] })
  return { outcome: 'sleeps', dueAtMs }
}

interface Sleep extends Pick<CallOptions, 'step'> {
  readonly sinceMs: number
  readonly dueAtMs: number
  readonly exceedsStep?: true
}

async function endSleep(
  context: ExecutionContext,
  prepared: PreparedCall,
  { sinceMs, dueAtMs, exceedsStep, step }: Sleep,
): Promise<CallEnd | undefined> {
  if (context.clock.elapsedMs < dueAtMs) return { outcome: 'sleeps', dueAtMs }
  if (exceedsStep) context.abort('step_timeout')
  throwIfAborted(context.signal)
  const result: SeenResult = { outcome: 'succeeded', output: prepared.call.input }
  const startedAt = performance.now() - (context.clock.elapsedMs - sinceMs)
  return finishCall(context, prepared, { step, result, startedAt })
}
