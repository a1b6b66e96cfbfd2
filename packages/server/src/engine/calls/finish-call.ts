// Journals the result of a call, with its events and its usage record.
import { type CallResultEntry, type JournaledCall, journalEntry, type Touch } from '../../domain/run/journal.ts'
import { type StepOf, toolInvoked, toolMilestone } from '../../runs/step-events.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { ToolCallName } from '../context/observer.ts'
import type { LedgerChange } from '../ledger/run-ledger.ts'
import { toolUsed } from '../ledger/token-usage.ts'
import { noticeInResult } from './found-secrets.ts'
import type { PreparedCall } from './prepared-call.ts'
import { type SeenResult, summarizeCall } from './secret-calls.ts'

export interface FinishedCall {
  readonly step: StepOf
  readonly result: SeenResult
  readonly startedAt: number
  readonly byPerson?: true
  /** The start of a call that is not made. One change writes both, so that no execution finds it started. */
  readonly start?: Pick<LedgerChange, 'events' | 'journal'>
}

export async function finishCall(
  context: ExecutionContext,
  prepared: PreparedCall,
  { step, result, startedAt, byPerson, start }: FinishedCall,
): Promise<CallResultEntry> {
  const { call } = prepared
  await yieldToEventLoop()
  const touches = await runSliced(touchesOfResult(context, prepared, result))
  const entry = { ...entryOf(result), ...(touches.length > 0 && { touches }), ...(byPerson && { byPerson }) }
  await yieldToEventLoop()
  const { redacted, ...summaries } = await runSliced(summarizeCall(context.run.secrets, call, result))
  await yieldToEventLoop()
  const durationMs = performance.now() - startedAt
  const invoked = toolInvoked({
    callId: call.callId,
    name: call.name,
    outcome: entry.outcome,
    ...summaries,
    policyReasonCode: result.outcome === 'policy_denied' ? result.reasonCode : null,
    durationMs: Math.round(durationMs),
  })
  context.parts.observer?.toolCalled?.({
    ...callName(context, call),
    name: call.name,
    outcome: entry.outcome,
    durationMs,
  })
  const change: LedgerChange = {
    events: [...(start?.events ?? []), toolMilestone(step, 'tool_call_done', call), { ...invoked, redacted }],
    journal: [...(start?.journal ?? []), journalEntry('result', call.callId, entry)],
    usage: [toolUsed(call.callId)],
  }
  // A read call is made again if its result is lost, so the model need not wait for the commit.
  const isRead = context.ledger.progress.turns.startedCalls.get(call.callId)?.effect === 'read'
  if (isRead) await context.ledger.record(change)
  else await context.ledger.apply(change)
  return entry
}

/** What only the result shows: whether a search read anything, and whether a sensitive value was found out. */
function* touchesOfResult(
  context: ExecutionContext,
  prepared: PreparedCall,
  result: SeenResult,
): Generator<void, readonly Touch[]> {
  const { tool, touches } = prepared
  const isRead = tool?.foundNothing && result.outcome === 'succeeded' && !tool.foundNothing(result.output)
  return [...(isRead ? touches : []), ...(yield* noticeInResult(context, prepared, result))]
}

function entryOf(result: SeenResult): CallResultEntry {
  const { note } = result
  const more = { ...('before' in result && { redacted: true as const }), ...(note !== undefined && { note }) }
  if (result.outcome === 'succeeded') return { outcome: 'succeeded', output: result.output, ...more }
  if (result.outcome === 'aborted' || result.outcome === 'not_sent')
    return { outcome: 'failed', message: 'The call was aborted.' }
  return { outcome: result.outcome, message: result.message, ...more }
}

export const callName = ({ run, sends }: ExecutionContext, { callId }: JournaledCall): ToolCallName => ({
  run,
  callId,
  sending: sends.timesSent(callId),
})
