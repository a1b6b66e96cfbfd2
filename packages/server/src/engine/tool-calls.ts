// Makes tool calls and journals them: started before the tool runs, the result with its event and its usage record. What
// policy says of a call is asked before it starts; one that a person has to be asked about leaves no trace until then.
import { type CallResultEntry, type JournaledCall, journalEntry } from '../domain/run/journal.ts'
import { outcomeKey, type Wait } from '../domain/run/progress.ts'
import { type StepOf, toolInvoked, toolMilestone } from '../lifecycle/step-events.ts'
import type { NewEvent } from '../store/run-log/run-change.ts'
import { callEffect } from '../tools/port/call-effect.ts'
import type { ToolCallContext } from '../tools/port/tool.ts'
import { throwIfAborted } from './abort-reason.ts'
import { ruleOn, touchesOf } from './call-policy.ts'
import type { ExecutionContext } from './execution-context.ts'
import { fillCall, invokeWithSecrets, type SeenResult, summarizeCall } from './secret-calls.ts'
import { toolUsed } from './token-usage.ts'

/** For calls that can start at once and have not been announced yet: their first events and journal entries. */
export async function startOf(context: ExecutionContext, calls: readonly JournaledCall[], options: CallOptions) {
  const fresh = calls.filter(({ callId }) => !context.ledger.progress.startedCalls.has(callId))
  return start(
    context,
    fresh.filter((call) => ruleOn(context, call, options.allowed).rule === 'allow'),
    options,
  )
}

async function start(context: ExecutionContext, calls: readonly JournaledCall[], { step }: CallOptions) {
  const journal = calls.map(async (call) => {
    const effect = await callEffect(context.parts.catalogue, call.name, fillCall(context.run.secrets, call))
    const touches = touchesOf(context, call)
    return journalEntry('call', call.callId, { name: call.name, effect, ...(touches.length > 0 && { touches }) })
  })
  return {
    events: calls.map((call): NewEvent => toolMilestone(step, 'tool_call_start', call)),
    journal: await Promise.all(journal),
  }
}

export interface CallOptions {
  readonly step: StepOf
  readonly allowed: ReadonlySet<string> | undefined
  /** Calls that began in an earlier life of the run: one of them that has no result may or may not have happened. */
  readonly begunBefore: ReadonlySet<string>
}

export type CallEnd = CallResultEntry | CallNeedsPerson

/** Only a person can say whether the call may be made, or whether it was. */
export interface CallNeedsPerson {
  readonly outcome: 'person_asked'
  readonly wait: Wait
}

/** The result of a call: the journaled one, what a person says it was, or that of calling the tool now. */
export async function makeCall(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<CallEnd> {
  const { progress } = context.ledger
  const known = progress.callResults.get(call.callId)
  if (known) return known
  const begun = progress.startedCalls.get(call.callId)
  if (begun?.effect === 'once' && options.begunBefore.has(call.callId)) {
    const wait = unknownOutcome(call, begun.times)
    const answer = progress.answerTo(wait.key)
    if (!answer) return { outcome: 'person_asked', wait }
    if (answer.action === 'submit_input') {
      const result: SeenResult = { outcome: 'succeeded', output: answer.payload }
      return journalResult(context, call, { ...options, result, startedAt: performance.now() })
    }
    // The approval is for one more time: should that be cut off as well, someone is asked again.
    await context.ledger.apply({
      journal: [journalEntry('call', `${call.callId}#${begun.times + 1}`, { name: call.name, effect: 'once' })],
    })
  }
  if (!begun) {
    const ruling = ruleOn(context, call, options.allowed)
    if (ruling.rule === 'ask') return { outcome: 'person_asked', wait: ruling.wait }
    await context.ledger.apply(await start(context, [call], options))
    if (ruling.rule === 'deny')
      return journalResult(context, call, { ...options, result: ruling.result, startedAt: performance.now() })
  }
  const startedAt = performance.now()
  const result = await invokeWithSecrets({
    secrets: context.run.secrets,
    catalogue: context.parts.catalogue,
    name: call.name,
    input: call.input,
    allowed: options.allowed,
    context: callContext(context, call),
  })
  if (result.outcome === 'aborted') throwIfAborted(context.signal)
  return journalResult(context, call, { ...options, result, startedAt })
}

/** Asked anew for each time the call was made. */
const unknownOutcome = ({ callId, name }: JournaledCall, times: number): Wait => ({
  key: outcomeKey(callId, times),
  reasonCode: 'tool_outcome_unknown',
  inputKind: 'approval',
  prompt: `Nobody knows whether this call of ${name} took place. Approve to make it again, or submit its result.`,
})

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
  readonly result: SeenResult
  readonly startedAt: number
}

async function journalResult(
  context: ExecutionContext,
  call: JournaledCall,
  finished: Finished,
): Promise<CallResultEntry> {
  const { step, result, startedAt } = finished
  const entry = entryOf(result)
  const { redacted, ...summaries } = summarizeCall(context.run.secrets, call, result)
  const invoked = toolInvoked({
    callId: call.callId,
    name: call.name,
    outcome: entry.outcome,
    ...summaries,
    policyReasonCode: result.outcome === 'policy_denied' ? result.reasonCode : null,
    durationMs: Math.round(performance.now() - startedAt),
  })
  await context.ledger.apply({
    events: [toolMilestone(step, 'tool_call_done', call), { ...invoked, redacted }],
    journal: [journalEntry('result', call.callId, entry)],
    usage: [toolUsed(call.callId)],
  })
  return entry
}

function entryOf(result: SeenResult): CallResultEntry {
  const redacted = 'before' in result ? { redacted: true as const } : {}
  if (result.outcome === 'succeeded') return { outcome: 'succeeded', output: result.output, ...redacted }
  if (result.outcome === 'aborted') return { outcome: 'failed', message: 'The call was aborted.' }
  return { outcome: result.outcome, message: result.message, ...redacted }
}
