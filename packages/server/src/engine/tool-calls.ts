// Makes tool calls and journals them: started before the tool runs, the result with its event and its usage record.
import { type CallResultEntry, type JournaledCall, journalEntry } from '../domain/journal.ts'
import { outcomeKey } from '../domain/run-progress.ts'
import { summarize } from '../domain/tool-summary.ts'
import { type StepOf, toolInvoked, toolMilestone } from '../lifecycle/step-events.ts'
import type { NewEvent } from '../store/run-log/run-change.ts'
import { callEffect } from '../tools/call-effect.ts'
import { invokeTool } from '../tools/invoke.ts'
import type { ToolCallContext, ToolResult } from '../tools/tool.ts'
import { throwIfAborted } from './abort-reason.ts'
import type { ExecutionContext } from './execution-context.ts'
import { toolUsed } from './token-usage.ts'

/** For calls that have not been announced yet: their first events and journal entries. */
export async function startOf(context: ExecutionContext, step: StepOf, calls: readonly JournaledCall[]) {
  const fresh = calls.filter(({ callId }) => !context.ledger.progress.startedCalls.has(callId))
  const journal = fresh.map(async ({ callId, name, input }) => {
    const effect = await callEffect(context.parts.catalogue, name, input)
    return journalEntry('call', callId, { name, effect })
  })
  return {
    events: fresh.map((call): NewEvent => toolMilestone(step, 'tool_call_start', call)),
    journal: await Promise.all(journal),
  }
}

export interface CallOptions {
  readonly step: StepOf
  readonly allowed: ReadonlySet<string> | undefined
  /** Calls that began in an earlier life of the run: one of them that has no result may or may not have happened. */
  readonly begunBefore: ReadonlySet<string>
}

export type CallEnd = CallResultEntry | UnknownOutcome

/** Nobody knows whether the call took place; the answer of a person is kept under this key. */
export interface UnknownOutcome {
  readonly outcome: 'unknown'
  readonly waitKey: string
}

/** The result of a call: the journaled one, what a person says it was, or that of calling the tool now. */
export async function makeCall(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<CallEnd> {
  const { progress } = context.ledger
  const known = progress.callResults.get(call.callId)
  if (known) return known
  const begun = progress.startedCalls.get(call.callId)
  if (begun?.effect === 'once' && options.begunBefore.has(call.callId)) {
    const waitKey = outcomeKey(call.callId, begun.times)
    const answer = progress.answerTo(waitKey)
    if (!answer) return { outcome: 'unknown', waitKey }
    if (answer.action === 'submit_input') {
      const result: ToolResult = { outcome: 'succeeded', output: answer.payload }
      return journalResult(context, call, { ...options, result, start: performance.now() })
    }
    // The approval is for one more time: should that be cut off as well, someone is asked again.
    await context.ledger.apply({
      journal: [journalEntry('call', `${call.callId}#${begun.times + 1}`, { name: call.name, effect: 'once' })],
    })
  }
  const start = performance.now()
  const result = await invokeTool({
    catalogue: context.parts.catalogue,
    name: call.name,
    input: call.input,
    allowed: options.allowed,
    context: callContext(context, call),
  })
  if (result.outcome === 'aborted') throwIfAborted(context.signal)
  return journalResult(context, call, { ...options, result, start })
}

const callContext = ({ run, signal }: ExecutionContext, { callId }: JournaledCall): ToolCallContext => ({
  signal,
  customerId: run.customerId,
  workspaceId: run.workspaceId,
  subjectId: run.subjectId,
  runId: run.id,
  toolCallId: callId,
  idempotencyKey: callId,
})

interface Finished extends CallOptions {
  readonly result: ToolResult
  readonly start: number
}

async function journalResult(
  context: ExecutionContext,
  call: JournaledCall,
  finished: Finished,
): Promise<CallResultEntry> {
  const { step, result, start } = finished
  const entry = entryOf(result)
  await context.ledger.apply({
    events: [
      toolMilestone(step, 'tool_call_done', call),
      toolInvoked({
        callId: call.callId,
        name: call.name,
        outcome: entry.outcome,
        inputSummary: summarize(call.input),
        outputSummary: summarize('output' in entry ? entry.output : entry.message),
        policyReasonCode: result.outcome === 'policy_denied' ? result.reasonCode : null,
        durationMs: Math.round(performance.now() - start),
      }),
    ],
    journal: [journalEntry('result', call.callId, entry)],
    usage: [toolUsed(call.callId)],
  })
  return entry
}

function entryOf(result: ToolResult): CallResultEntry {
  if (result.outcome === 'succeeded') return { outcome: 'succeeded', output: result.output }
  if (result.outcome === 'aborted') return { outcome: 'failed', message: 'The call was aborted.' }
  return { outcome: result.outcome, message: result.message }
}
