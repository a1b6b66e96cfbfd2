// Calls a model of a role, and retries until it answers or fails permanently.
//
//   no tokens or budget left           → over_ceiling
//   the retry is not due yet           → wait here, or park if the wait is long
//   every model's breaker is open      → like a transient failure
//   a reply                            → reply
//   aborted                            → throws, in every role; the abort decides nothing
//   a transient failure                → back off and retry; use the next model of the list; give up after a while
//   a permanent failure                → failed (if the key was refused: the next model of the list, if any)
import type { Role } from '@runwright/contract'
import { comparablePrompt } from '../../agents/comparable-prompt.ts'
import { unwrapCalls } from '../../agents/tool-search/wrapped-call.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { retryName } from '../../domain/run/turn-log.ts'
import { taskOfCall } from '../../models/cassette/cassette-file.ts'
import { fingerprintOf } from '../../models/cassette/fingerprint.ts'
import type { CallOrigin, Model, ModelFailure, ModelOutcome, ModelReply } from '../../models/port/model.ts'
import type { SpentBudget } from '../../runs/budget-guard.ts'
import { coordinationDecision } from '../../runs/step-events.ts'
import { yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import { noticeInReply } from '../calls/found-secrets.ts'
import { throwIfAborted } from '../context/abort-reason.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { ModelCallName } from '../context/observer.ts'
import { type CallTrouble, nextTry } from '../context/retry-schedule.ts'
import { type Parked, waitUntil } from '../context/wait-until.ts'
import { type AskedRequest, type Trace, traceCall } from './trace.ts'

export interface ModelCall {
  readonly role: Role
  /** Identifies the call within the run. A retry has the same key. */
  readonly key: string
  /** The models to try, in this order. Default: those of the role. */
  readonly models?: readonly Model[] | undefined
  /** Set if the prompt is not that of the role. */
  readonly prompt?: 'summary' | 'grade'
  /** Default: that of the prompt. */
  readonly promptVersion?: string
  /** The name of the agent that executes the step. */
  readonly agent?: string | undefined
  readonly request: AskedRequest
}

export type ModelCallEnd =
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly model: string; readonly usage: readonly NewUsage[] }
  | {
      readonly kind: 'failed'
      readonly failure: ModelFailure
      readonly usage: readonly NewUsage[]
      /** The words are the engine's: no provider failed. */
      readonly isOwn?: true
    }
  | { readonly kind: 'over_ceiling'; readonly usage: readonly NewUsage[]; readonly budget?: SpentBudget }
  /** The call continues at this time of the run. Everything it needs is journaled. */
  | Parked

export async function callModel(context: ExecutionContext, call: ModelCall): Promise<ModelCallEnd> {
  const known = context.ledger.progress.turns.retryOf(call.key)
  // When a client retries the run, the count starts again.
  const isCurrent = known?.attempt === context.run.attempt
  let trouble: CallTrouble | undefined = isCurrent ? { ...known, skipped: known.skipped ?? 0 } : undefined
  for (;;) {
    const waiting = trouble && (await waitUntil(context, trouble.dueAtMs))
    if (waiting) return waiting
    const models = call.models ?? context.models[call.role]
    const spent = await nothingLeft(context, call.role, models)
    if (spent) return spent
    const choice = chooseModel(context, models, trouble?.skipped ?? 0)
    if (choice.model && choice.index > (trouble?.skipped ?? 0)) {
      trouble = movedOn(trouble, choice.index, context.clock.elapsedMs)
      await tellTrouble(context, call, { trouble, usage: [], hasNewModel: true })
    }
    const tried = choice.model
      ? await tryOnce(context, call, { model: choice.model, tries: (trouble?.tries ?? 0) + 1 })
      : breakersOpen(context, choice.waitMs)
    if (tried.kind !== 'failed') return tried
    const situation = { trouble, failed: tried, nowMs: context.clock.elapsedMs, models: models.length }
    const next = nextTry(situation, context.parts.providerRetry)
    if (next.kind === 'give_up') return { kind: 'failed', failure: next.failure, usage: tried.usage }
    trouble = next.trouble
    await tellTrouble(context, call, { trouble, usage: tried.usage, hasNewModel: next.hasNewModel })
  }
}

async function nothingLeft(
  context: ExecutionContext,
  role: Role,
  [model]: readonly Model[],
): Promise<ModelCallEnd | undefined> {
  // The sandbox plans and judges at no cost.
  if (role !== 'worker' && model?.readsPrompt === false) return undefined
  if (context.ledger.tokens >= context.run.tokenLimit) return { kind: 'over_ceiling', usage: [] }
  const budget = await context.tokens.spentBudget()
  return budget && { kind: 'over_ceiling', usage: [], budget }
}

/** A failed try and what it cost. */
interface FailedTry {
  readonly kind: 'failed'
  readonly failure: ModelFailure
  readonly usage: readonly NewUsage[]
  /** When the call started, in milliseconds of the run. */
  readonly startedAtMs: number
}

async function tryOnce(
  context: ExecutionContext,
  call: ModelCall,
  { model, tries }: { readonly model: Model; readonly tries: number },
): Promise<Extract<ModelCallEnd, { kind: 'reply' | 'over_ceiling' }> | FailedTry> {
  const startedAtMs = context.clock.elapsedMs
  const trace = traceCall(context, call, { model, tries })
  const startedAt = performance.now()
  const name = { run: context.run, key: call.key, failures: failuresBefore(context, call.key), tries }
  // The prompt is read below, and the reply may be long.
  if (model.readsPrompt !== false) await context.inputs.writeTexts()
  const outcome = unwrapCalls(await respond(context, call, { model, trace, name }), context.catalogue)
  if (model.readsPrompt !== false) await yieldToEventLoop()
  await trace.end(outcome)
  context.parts.observer?.modelCalled?.({
    ...name,
    role: call.role,
    model: model.name,
    agent: call.agent,
    readsPrompt: model.readsPrompt !== false,
    outcome,
    durationMs: performance.now() - startedAt,
  })
  report(context, model, outcome)
  const usage = context.tokens.consumed(outcome.usage, model)
  if (outcome.kind === 'aborted') {
    for (const record of usage) context.ledger.owe(record)
    throwIfAborted(context.signal)
    return { kind: 'failed', failure: stoppedByItself, usage: [], startedAtMs }
  }
  context.ledger.spend(usage)
  if (context.ledger.tokens > context.run.tokenLimit) return { kind: 'over_ceiling', usage }
  if (outcome.kind === 'reply') {
    await context.yieldToEventLoop()
    await noticeInReply(context, model, outcome)
    return { kind: 'reply', reply: outcome, model: model.name, usage }
  }
  return { kind: 'failed', failure: outcome, usage, startedAtMs }
}

const failuresBefore = ({ ledger, parts }: ExecutionContext, callKey: string): number =>
  parts.observer?.modelCalled ? ledger.progress.failuresOf(taskOfCall(callKey)).total : 0

interface Dispatch {
  readonly model: Model
  readonly trace: Trace
  readonly name: ModelCallName
}

const respond = (
  context: ExecutionContext,
  { role, key, request }: ModelCall,
  { model, trace, name }: Dispatch,
): Promise<ModelOutcome> =>
  model.respond({
    role,
    messages: model.readsPrompt === false ? [] : trace.request.messages(),
    tools: request.tools,
    outputSchema: request.outputSchema,
    parameters: request.parameters,
    onText: trace.request.onText,
    rehearsal: request.rehearsal,
    origin: originOf(context, key),
    traceparent: context.parts.observer?.traceparentOfModelCall?.(name),
    signal: context.signal,
    maxOutputTokens: context.tokens.left,
  })

const originOf = ({ run, inputs }: ExecutionContext, callKey: string): CallOrigin => ({
  runId: run.id,
  callKey,
  fingerprint: () => fingerprintOf({ ...inputs.shown, plan: run.plan }),
  comparable: comparablePrompt,
})

type Choice = { readonly model: Model; readonly index: number } | { readonly model: undefined; readonly waitMs: number }

/** The first model from this index on whose breaker admits a call, or how long to wait for one. */
function chooseModel(context: ExecutionContext, models: readonly Model[], from: number): Choice {
  let waitMs = Number.POSITIVE_INFINITY
  for (const [index, model] of models.entries()) {
    const wait = index < from ? Number.POSITIVE_INFINITY : context.parts.breakers.of(model.name).admit()
    if (wait === undefined) return { model, index }
    waitMs = Math.min(waitMs, wait)
  }
  return { model: undefined, waitMs }
}

const movedOn = (trouble: CallTrouble | undefined, skipped: number, nowMs: number): CallTrouble => ({
  tries: (trouble?.tries ?? 0) + 1,
  firstAtMs: nowMs,
  dueAtMs: nowMs,
  skipped,
})

function report({ parts }: ExecutionContext, model: Model, outcome: ModelOutcome): void {
  const breaker = parts.breakers.of(model.name)
  if (outcome.kind === 'aborted') breaker.forget()
  else if (outcome.kind === 'failure' && outcome.retry === 'call') breaker.failed()
  else breaker.succeeded()
}

const breakersOpen = (context: ExecutionContext, retryAfterMs: number): FailedTry => ({
  kind: 'failed',
  failure: {
    kind: 'failure',
    reasonCode: 'provider_unavailable',
    message: 'The provider has failed several times in a row; no calls are made for a while.',
    retry: 'call',
    retryAfterMs,
    text: '',
    usage: undefined,
  },
  usage: [],
  startedAtMs: context.clock.elapsedMs,
})

const stoppedByItself: ModelFailure = {
  kind: 'failure',
  reasonCode: 'provider_unavailable',
  message: 'The model ended the call by itself.',
  retry: 'call',
  text: '',
  usage: undefined,
}

interface Trouble {
  readonly trouble: CallTrouble
  readonly usage: readonly NewUsage[]
  readonly hasNewModel: boolean
}

/** A short wait is not journaled. A long one is, with its decision, and so is a change of model. */
async function tellTrouble(context: ExecutionContext, call: ModelCall, told: Trouble): Promise<void> {
  const { trouble, usage, hasNewModel } = told
  const isLong = trouble.dueAtMs - context.clock.elapsedMs > context.parts.providerRetry.parkAboveMs
  if (!isLong && !hasNewModel && usage.length === 0) return
  const { tries, firstAtMs, dueAtMs, skipped } = trouble
  const reasonCode = hasNewModel ? 'model_fallback' : 'provider_retry'
  const decision = coordinationDecision(context.run.requestId, { decision: 'continue', reasonCode, role: call.role })
  await context.ledger.apply({
    events: isLong || hasNewModel ? [decision] : [],
    journal: [
      journalEntry('retry', retryName(call.key, { attempt: context.run.attempt, tries }), {
        firstAtMs,
        dueAtMs,
        ...(skipped > 0 && { skipped }),
      }),
    ],
    usage,
  })
}
