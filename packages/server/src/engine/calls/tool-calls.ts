// Makes tool calls and journals them: the start before the tool runs, then the result with its event and usage record.
// The policy is checked before a call starts; a call that needs approval writes nothing until it is approved.
import { type CallResultEntry, type JournaledCall, journalEntry, type Touch } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { type StartedCall, tryName } from '../../domain/run/turn-log.ts'
import { type StepOf, toolInvoked, toolMilestone } from '../../lifecycle/step-events.ts'
import { inTurns, takeTurn } from '../../runtime/turns.ts'
import type { NewEvent } from '../../store/run-log/run-change.ts'
import { callEffect } from '../../tools/port/call-effect.ts'
import { checkInput } from '../../tools/port/check-input.ts'
import type { ToolCallContext } from '../../tools/port/tool.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { ToolCallName } from '../context/observer.ts'
import { toolUsed } from '../ledger/token-usage.ts'
import { awaitTools } from './await-tools.ts'
import { ruleOn, touchesOf } from './call-policy.ts'
import { holdLease, lookBeforeCall, openWindow } from './dispatch-window.ts'
import { noticeInResult } from './found-secrets.ts'
import { fillCall, invokeWithSecrets, type SeenResult, summarizeCall } from './secret-calls.ts'
import { questionAbout, resolveUnknown } from './unknown-outcome.ts'

export interface CallOptions {
  readonly step: StepOf
  readonly allowed: ReadonlySet<string> | undefined
  /**
   * Calls that started in an earlier execution of the run. If such a call has no result, it may or may not have taken
   * place.
   */
  readonly begunBefore: ReadonlySet<string>
  /** The time left for the step, in milliseconds. */
  readonly stepMsLeft: () => number
  /** The step names its tools: it fails if one cannot be reached. Otherwise the model is told. */
  readonly needsTools: boolean
}

export type CallEnd = CallResultEntry | CallNeedsPerson | CallSleeps | CallImpossible

/** The call needs an answer from a person: an approval, or whether an interrupted call took place. */
export interface CallNeedsPerson {
  readonly outcome: 'person_asked'
  readonly wait: Wait
}

/** The call only waits. It ends at this time of the run. */
export interface CallSleeps {
  readonly outcome: 'sleeps'
  readonly dueAtMs: number
}

/** The tool cannot be reached. Nothing is journaled, so a retry of the run makes the call. */
export interface CallImpossible {
  readonly outcome: 'unavailable'
  readonly message: string
}

/** The first events and journal entries of calls that can start at once and are not announced yet. */
export async function startOf(context: ExecutionContext, calls: readonly JournaledCall[], options: CallOptions) {
  const fresh = calls.filter(({ callId }) => !context.ledger.progress.turns.startedCalls.has(callId))
  return start(
    context,
    fresh.filter((call) => canStart(context, call, options)),
    options,
  )
}

const canStart = (context: ExecutionContext, call: JournaledCall, { allowed }: CallOptions): boolean =>
  ruleOn(context, call, allowed).rule === 'allow' && context.catalogue.absence(call.name)?.kind !== 'away'

async function start(context: ExecutionContext, calls: readonly JournaledCall[], { step, stepMsLeft }: CallOptions) {
  const journal = calls.map(async (call) => {
    const effect = await callEffect(context.catalogue, call.name, fillCall(context.run.secrets, call))
    const touches = context.catalogue.find(call.name)?.foundNothing ? [] : touchesOf(context, call)
    return journalEntry('call', call.callId, {
      name: call.name,
      effect,
      ...(touches.length > 0 && { touches }),
      ...(effect === 'once' && openWindow(context, call, stepMsLeft())),
    })
  })
  return {
    events: calls.map((call): NewEvent => toolMilestone(step, 'tool_call_start', call)),
    journal: await Promise.all(journal),
  }
}

/** The result of a call: the journaled one, the one a person submitted, or that of calling the tool now. */
export async function makeCall(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<CallEnd> {
  const { turns } = context.ledger.progress
  const known = turns.results.get(call.callId)
  if (known) return known
  const begun = turns.startedCalls.get(call.callId)
  const isUnknown = begun?.effect === 'once' && options.begunBefore.has(call.callId)
  const decided = isUnknown
    ? await settleUnknown(context, call, { ...options, begun })
    : !begun && (await settlePolicy(context, call, options))
  const settled = decided || (await awaitTool(context, call, options))
  if (settled) return settled
  await context.letOthersIn()
  if (isUnknown) await context.ledger.apply({ journal: [nextTry(context, call, options)] })
  else if (!begun) await context.ledger.apply(await start(context, [call], options))
  return (await sleepInstead(context, call, options)) ?? invoke(context, call, options)
}

/** Returns undefined when the call may be made. */
async function settlePolicy(
  context: ExecutionContext,
  call: JournaledCall,
  options: CallOptions,
): Promise<CallEnd | undefined> {
  const ruling = ruleOn(context, call, options.allowed)
  if (ruling.rule === 'ask') return { outcome: 'person_asked', wait: ruling.wait }
  if (ruling.rule === 'allow') return undefined
  await context.ledger.apply(await start(context, [call], options))
  return journalResult(context, call, { ...options, result: ruling.result, startedAt: performance.now() })
}

/** Returns undefined when the tool is there, and also when the model is to be told that it is not. */
async function awaitTool(
  context: ExecutionContext,
  { callId, name }: JournaledCall,
  { needsTools, allowed }: CallOptions,
): Promise<CallSleeps | CallImpossible | undefined> {
  if (allowed?.has(name) === false) return undefined
  const found = await awaitTools(context, { key: `tool:${callId}`, names: [name], kinds: ['away'] })
  if (found?.end === 'parked') return { outcome: 'sleeps', dueAtMs: found.dueAtMs }
  return found && needsTools ? { outcome: 'unavailable', message: found.message } : undefined
}

/** Returns undefined when the call is to be made again. */
async function settleUnknown(
  context: ExecutionContext,
  call: JournaledCall,
  { begun, ...options }: CallOptions & { readonly begun: StartedCall },
): Promise<CallEnd | undefined> {
  const resolution = resolveUnknown(context, call, begun)
  if (resolution.next === 'ask') return { outcome: 'person_asked', wait: resolution.wait }
  if (resolution.next === 'sleep') return { outcome: 'sleeps', dueAtMs: resolution.dueAtMs }
  if (resolution.next === 'take') {
    const { result } = resolution
    return journalResult(context, call, { ...options, result, byPerson: true, startedAt: performance.now() })
  }
  return undefined
}

/** The start of one more try of a `once` call. */
function nextTry(context: ExecutionContext, call: JournaledCall, { stepMsLeft }: CallOptions) {
  const times = context.ledger.progress.turns.startedCalls.get(call.callId)?.times ?? 0
  return journalEntry('call', tryName(call.callId, times + 1), {
    name: call.name,
    effect: 'once',
    ...openWindow(context, call, stepMsLeft()),
  })
}

/** A shorter wait is not worth a journal entry. */
const shortestSleepMs = 100

/**
 * Parks a call that only waits, so that it holds no worker if the wait is long or the place is needed. Returns
 * undefined when the call is to be made normally. A call that waits longer than its step may take sleeps until the step
 * times out.
 */
async function sleepInstead(
  context: ExecutionContext,
  call: JournaledCall,
  options: CallOptions,
): Promise<CallEnd | undefined> {
  const tool = context.catalogue.find(call.name)
  if (tool?.sleepMs === undefined || options.allowed?.has(call.name) === false) return undefined
  const known = context.ledger.progress.turns.sleeps.get(call.callId)
  if (known) return endSleep(context, call, { ...options, ...known })
  const checked = await checkInput(tool, fillCall(context.run.secrets, call))
  const sleepMs = checked.ok ? tool.sleepMs(checked.input) : 0
  if (sleepMs <= shortestSleepMs) return undefined
  const stepMs = options.stepMsLeft()
  const dueAtMs = Math.round(context.elapsedMs + Math.min(sleepMs, stepMs))
  const body = {
    sinceMs: Math.round(context.elapsedMs),
    dueAtMs,
    ...(sleepMs > stepMs && { exceedsStep: true as const }),
  }
  await context.ledger.apply({ journal: [journalEntry('sleep', call.callId, body)] })
  return { outcome: 'sleeps', dueAtMs }
}

interface Sleep extends CallOptions {
  readonly sinceMs: number
  readonly dueAtMs: number
  readonly exceedsStep?: true
}

async function endSleep(
  context: ExecutionContext,
  call: JournaledCall,
  { sinceMs, dueAtMs, exceedsStep, ...options }: Sleep,
): Promise<CallEnd | undefined> {
  if (context.elapsedMs < dueAtMs) return { outcome: 'sleeps', dueAtMs }
  if (exceedsStep) context.abort('step_timeout')
  throwIfAborted(context.signal)
  const result: SeenResult = { outcome: 'succeeded', output: call.input }
  const startedAt = performance.now() - (context.elapsedMs - sinceMs)
  return journalResult(context, call, { ...options, result, startedAt })
}

async function invoke(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<CallEnd> {
  const startedAt = performance.now()
  const result = await send(context, call, options)
  if (result.outcome === 'aborted') {
    if (context.signal.aborted) tellTry(context, call, { result, startedAt })
    throwIfAborted(context.signal)
  }
  const begun = context.ledger.progress.turns.startedCalls.get(call.callId)
  if (begun?.effect === 'once' && mayHaveHappened(result)) {
    tellTry(context, call, { result, startedAt })
    return askAfter(context, call, { begun, result })
  }
  return journalResult(context, call, { ...options, result, startedAt })
}

function tellTry(
  context: ExecutionContext,
  call: JournaledCall,
  { result, startedAt }: Pick<Finished, 'result' | 'startedAt'>,
): void {
  const durationMs = performance.now() - startedAt
  context.parts.observer?.toolTried?.({
    ...callName(context, call),
    name: call.name,
    outcome: result.outcome,
    durationMs,
  })
}

const callName = ({ run, sendings }: ExecutionContext, { callId }: JournaledCall): ToolCallName => ({
  run,
  callId,
  sending: sendings.get(callId) ?? 0,
})

type Failed = Extract<SeenResult, { outcome: 'failed' | 'timeout' }>

const mayHaveHappened = (result: SeenResult): result is Failed =>
  (result.outcome === 'failed' || result.outcome === 'timeout') && result.noEffect !== true

/** The try has ended, so the next execution of the run asks at once, too. */
async function askAfter(
  context: ExecutionContext,
  call: JournaledCall,
  { begun, result }: { readonly begun: StartedCall; readonly result: Failed },
): Promise<CallEnd> {
  const { outcome, message } = result
  await context.letOthersIn()
  await context.ledger.apply({
    journal: [journalEntry('try', tryName(call.callId, begun.times), { outcome, message })],
  })
  return { outcome: 'person_asked', wait: questionAbout(context, call, begun.times) }
}

/** A tool may need longer to connect than a window is open. Such a call fails after so many tries. */
const maxUnsentTries = 3

/** Makes the call. If nothing could be sent, because the lease was not confirmed in time, it is tried again. */
async function send(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<SeenResult> {
  for (let tries = 1; ; tries += 1) {
    await holdLease(context)
    const result = await invokeWithSecrets({
      secrets: context.run.secrets,
      catalogue: context.catalogue,
      name: call.name,
      input: call.input,
      byClient: call.byClient,
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
  context.sendings.set(callId, (context.sendings.get(callId) ?? 0) + 1)
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

interface Finished extends CallOptions {
  readonly result: SeenResult
  readonly startedAt: number
  readonly byPerson?: true
}

async function journalResult(
  context: ExecutionContext,
  call: JournaledCall,
  finished: Finished,
): Promise<CallResultEntry> {
  const { step, result, startedAt, byPerson } = finished
  await takeTurn()
  const touches = await inTurns(touchesOfResult(context, call, result))
  const entry = { ...entryOf(result), ...(touches.length > 0 && { touches }), ...(byPerson && { byPerson }) }
  await takeTurn()
  const { redacted, ...summaries } = await inTurns(summarizeCall(context.run.secrets, call, result))
  await takeTurn()
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
  await context.ledger.apply({
    events: [toolMilestone(step, 'tool_call_done', call), { ...invoked, redacted }],
    journal: [journalEntry('result', call.callId, entry)],
    usage: [toolUsed(call.callId)],
  })
  return entry
}

/** What only the result shows: whether a search read anything, and whether a sensitive value was found out. */
function* touchesOfResult(
  context: ExecutionContext,
  call: JournaledCall,
  result: SeenResult,
): Generator<void, readonly Touch[]> {
  const tool = context.catalogue.find(call.name)
  const isRead = tool?.foundNothing && result.outcome === 'succeeded' && !tool.foundNothing(result.output)
  return [...(isRead ? touchesOf(context, call) : []), ...(yield* noticeInResult(context, call, result))]
}

function entryOf(result: SeenResult): CallResultEntry {
  const { note } = result
  const more = { ...('before' in result && { redacted: true as const }), ...(note !== undefined && { note }) }
  if (result.outcome === 'succeeded') return { outcome: 'succeeded', output: result.output, ...more }
  if (result.outcome === 'aborted' || result.outcome === 'not_sent')
    return { outcome: 'failed', message: 'The call was aborted.' }
  return { outcome: result.outcome, message: result.message, ...more }
}
