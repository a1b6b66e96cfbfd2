// Makes a call that has started: looks at the lease, calls the tool, and decides what its outcome means. A `once` call
// whose outcome is unknown is not repeated: a person is asked.
import { type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import { type StartedCall, tryName } from '../../domain/run/turn-log.ts'
import { outcomeKey } from '../../domain/run/wait-keys.ts'
import type { ToolCallContext } from '../../tools/port/tool.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { CallEnd, CallOptions } from './call-end.ts'
import { holdLease, lookBeforeCall, openWindow } from './dispatch-window.ts'
import { callName, type FinishedCall, finishCall } from './finish-call.ts'
import type { PreparedCall } from './prepared-call.ts'
import { invokeWithSecrets, type SeenResult } from './secret-calls.ts'
import { questionAbout } from './unknown-outcome.ts'

/** Makes the call that was journaled as started. */
export async function sendCall(
  context: ExecutionContext,
  prepared: PreparedCall,
  options: CallOptions,
): Promise<CallEnd> {
  const { call } = prepared
  const startedAt = performance.now()
  const result = await send(context, prepared, options)
  if (result.outcome === 'aborted') {
    if (context.signal.aborted) tellTry(context, call, { result, startedAt })
    throwIfAborted(context.signal)
  }
  const begun = context.ledger.progress.turns.startedCalls.get(call.callId)
  if (begun?.effect === 'once' && mayHaveHappened(result)) {
    tellTry(context, call, { result, startedAt })
    return askAfter(context, call, { begun, result, rules: options.rules })
  }
  return finishCall(context, prepared, { step: options.step, result, startedAt })
}

function tellTry(
  context: ExecutionContext,
  call: JournaledCall,
  { result, startedAt }: Pick<FinishedCall, 'result' | 'startedAt'>,
): void {
  const durationMs = performance.now() - startedAt
  context.parts.observer?.toolTried?.({
    ...callName(context, call),
    name: call.name,
    outcome: result.outcome,
    durationMs,
  })
}

type Failed = Extract<SeenResult, { outcome: 'failed' | 'timeout' }>

const mayHaveHappened = (result: SeenResult): result is Failed =>
  (result.outcome === 'failed' || result.outcome === 'timeout') && result.noEffect !== true

/** The try has ended, so the next execution of the run asks at once, too. */
async function askAfter(
  context: ExecutionContext,
  call: JournaledCall,
  { begun, result, rules }: Pick<CallOptions, 'rules'> & { readonly begun: StartedCall; readonly result: Failed },
): Promise<CallEnd> {
  const { outcome, message } = result
  await context.yieldToEventLoop()
  await context.ledger.apply({
    journal: [journalEntry('try', tryName(call.callId, begun.times), { outcome, message })],
  })
  const key = outcomeKey(call.callId, begun.times)
  return { outcome: 'person_asked', wait: questionAbout(context, call, { key, rules }) }
}

/** A tool may need longer to connect than a window is open. Such a call fails after so many tries. */
const maxUnsentTries = 3

/** Makes the call. If nothing could be sent, because the lease was not confirmed in time, it is tried again. */
async function send(context: ExecutionContext, prepared: PreparedCall, options: CallOptions): Promise<SeenResult> {
  const { call, tool, input, carriesSecrets } = prepared
  for (let tries = 1; ; tries += 1) {
    await holdLease(context)
    const result = await invokeWithSecrets({
      secrets: context.run.secrets,
      catalogue: { find: () => tool },
      call,
      input,
      carriesSecrets,
      allowed: options.allowed,
      context: callContext(context, call),
    })
    if (result.outcome !== 'not_sent') return result
    throwIfAborted(context.signal)
    if (tries === maxUnsentTries) return notSentInTime(call)
    await startAgain(context, call, options)
  }
}

/** The try and the next one are one change, so that the journal always says whether a try may have been sent. */
async function startAgain(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<void> {
  const begun = context.ledger.progress.turns.startedCalls.get(call.callId)
  if (begun?.effect !== 'once') return
  const ended = journalEntry('try', tryName(call.callId, begun.times), { outcome: 'not_sent' })
  await context.ledger.apply({ journal: [ended, nextTry(context, call, options)] })
}

const notSentInTime = ({ name }: JournaledCall): SeenResult => ({
  outcome: 'failed',
  message: `The call of ${name} was not made: it could not be sent in time.`,
  noEffect: true,
})

function callContext(context: ExecutionContext, call: JournaledCall): ToolCallContext {
  const { run, signal, ledger, parts } = context
  const { callId } = call
  context.sends.countSending(callId)
  const effect = ledger.progress.turns.startedCalls.get(callId)?.effect ?? 'once'
  return {
    signal,
    customerId: run.customerId,
    workspaceId: run.workspaceId,
    subjectId: run.subjectId,
    runId: run.id,
    toolCallId: callId,
    idempotencyKey: call.key ?? callId,
    beforeSend: () => lookBeforeCall(context, call, effect),
    ...traceOf(parts.observer?.traceparentOfToolCall?.(callName(context, call))),
    hasReadUntrusted: ledger.progress.turns.touched.has('untrusted'),
  }
}

const traceOf = (traceparent: string | undefined) => (traceparent === undefined ? {} : { traceparent })

/** The start of one more try of a `once` call. */
export function nextTry(context: ExecutionContext, call: JournaledCall, { stepMsLeft }: CallOptions) {
  const times = context.ledger.progress.turns.startedCalls.get(call.callId)?.times ?? 0
  return journalEntry('call', tryName(call.callId, times + 1), {
    name: call.name,
    effect: 'once',
    ...openWindow(context, call, stepMsLeft()),
  })
}
