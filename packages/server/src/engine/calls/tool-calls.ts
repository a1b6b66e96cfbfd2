// Makes tool calls and journals them: the start before the tool runs, then the result with its event and usage record.
// The policy is checked before a call starts; a call that needs approval writes nothing until it is approved.
import { type CallResultEntry, type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import { toolMilestone } from '../../runs/step-events.ts'
import type { NewEvent } from '../../store/run-log/run-change.ts'
import type { ToolEffect } from '../../tools/port/tool.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { LedgerChange } from '../ledger/run-ledger.ts'
import { awaitTools } from './await-tools.ts'
import type { CallEnd, CallImpossible, CallOptions, CallSleeps } from './call-end.ts'
import { ruleOn } from './call-policy.ts'
import { type DecidedCall, decideCall } from './decided-call.ts'
import { openWindow } from './dispatch-window.ts'
import { finishCall } from './finish-call.ts'
import { adviseSearch, refuseFoundCall } from './found-call.ts'
import { repeatedCall } from './once-calls.ts'
import { effectOf, type PreparedCall, prepareCall } from './prepared-call.ts'
import { refusedInput } from './refused-input.ts'
import type { SeenResult } from './secret-calls.ts'
import { nextTry, sendCall } from './send-call.ts'
import { sleepInstead } from './sleeping-call.ts'
import { resolveEarlier, resolveUnknown } from './unknown-outcome.ts'

/** The first events and journal entries of calls that can start at once and are not announced yet. */
export async function startOf(context: ExecutionContext, calls: readonly JournaledCall[], options: CallOptions) {
  const fresh = calls
    .filter(({ callId }) => !context.ledger.progress.turns.startedCalls.has(callId))
    .map((call) => prepareCall(context, call, options.allowed))
  const ready = await Promise.all(fresh.map((prepared) => canStart(context, prepared)))
  return start(
    context,
    fresh.filter((_, index) => ready[index]),
    options,
  )
}

async function canStart(context: ExecutionContext, prepared: PreparedCall): Promise<boolean> {
  if (ruleOn(context, prepared).rule !== 'allow') return false
  if (context.catalogue.absence(prepared.call.name)?.kind === 'away') return false
  return (await refuseFoundCall(context, prepared)) === undefined
}

async function start(
  context: ExecutionContext,
  calls: readonly PreparedCall[],
  { step, stepMsLeft }: CallOptions,
  isEdited = false,
) {
  const effects = await Promise.all(calls.map(effectOf))
  const journal = calls.map((prepared, index) => {
    const { call, tool } = prepared
    const effect = effects[index] as ToolEffect
    // Of a search, only the result shows whether it read something.
    const touches = tool?.foundNothing ? [] : prepared.touches
    return journalEntry('call', call.callId, {
      name: call.name,
      effect,
      ...(touches.length > 0 && { touches }),
      ...(effect === 'once' && openWindow(context, call, stepMsLeft())),
      ...(isEdited && { edited: call.input }),
    })
  })
  return {
    change: { events: calls.map(({ call }): NewEvent => toolMilestone(step, 'tool_call_start', call)), journal },
    onlyReads: effects.every((effect) => effect === 'read'),
  }
}

interface Start {
  readonly change: LedgerChange
  /** None of the calls changes anything. */
  readonly onlyReads: boolean
}

/**
 * Writes the start of calls before they are made. Calls that only read need not wait for the commit: a call whose start
 * is lost is forgotten, and made again.
 */
export async function writeStart({ ledger }: ExecutionContext, { change, onlyReads }: Start): Promise<void> {
  if (onlyReads) await ledger.record(change)
  else await ledger.apply(change)
}

/** The result of a call: the journaled one, the one a person submitted, or that of calling the tool now. */
export async function makeCall(
  context: ExecutionContext,
  original: JournaledCall,
  options: CallOptions,
): Promise<CallEnd> {
  const { turns } = context.ledger.progress
  const known = turns.results.get(original.callId)
  if (known) return known
  const decided = decideCall(context, original, options.planned)
  const { call } = decided
  const begun = turns.startedCalls.get(call.callId)
  if (begun?.effect === 'once' && options.begunBefore.has(call.callId)) return makeUnknown(context, call, options)
  const first = prepareCall(context, call, options.allowed)
  if (!begun && decided.end) return endUnmade(context, first, { options, result: decided.end, byPerson: true })
  const settled =
    (!begun && (await settleEarlier(context, first, options))) ||
    (!begun && (await settlePolicy(context, first, { options, decided }))) ||
    (await awaitTool(context, call, options))
  if (settled) return settled
  // While it waited for the server, that may have told what the tool is.
  const isSame = context.catalogue.find(call.name) === first.tool
  const prepared = isSame ? first : prepareCall(context, call, options.allowed)
  const refused = !begun && !isSame && (await settlePolicy(context, prepared, { options, decided }))
  if (refused) return refused
  await context.yieldToEventLoop()
  if (!begun) await writeStart(context, await start(context, [prepared], options, decided.isEdited))
  return (await sleepInstead(context, prepared, options)) ?? sendCall(context, prepared, options)
}

/** The result of a call that repeats another one of its reply. It is not made, and no person is asked about it. */
export async function endRepeated(
  context: ExecutionContext,
  call: JournaledCall,
  { first, options }: { readonly first: JournaledCall; readonly options: CallOptions },
): Promise<CallResultEntry> {
  const known = context.ledger.progress.turns.results.get(call.callId)
  if (known) return known
  return endUnmade(context, prepareCall(context, call, options.allowed), { options, result: repeatedCall(first) })
}

/** What a person would be asked before a call that has not started. Undefined: nothing. */
export async function questionBefore(
  context: ExecutionContext,
  original: JournaledCall,
  options: CallOptions,
): Promise<Wait | undefined> {
  const { turns } = context.ledger.progress
  if (turns.results.has(original.callId) || turns.startedCalls.has(original.callId)) return undefined
  const decided = decideCall(context, original, options.planned)
  if (decided.end) return undefined
  const prepared = prepareCall(context, decided.call, options.allowed)
  const ruling = ruleOn(context, prepared, decided)
  if (ruling.rule !== 'ask' || (await refuseFoundCall(context, prepared))) return undefined
  return (await refusedInput(context, prepared)) === undefined ? ruling.wait : undefined
}

/** Returns undefined when no attempt before this one has left open what became of the call. */
async function settleEarlier(
  context: ExecutionContext,
  prepared: PreparedCall,
  options: CallOptions,
): Promise<CallEnd | undefined> {
  const { earlier = [], rules } = options
  const resolution = resolveEarlier(context, prepared.call, { earlier, rules })
  if (resolution.kind === 'ask') return { outcome: 'person_asked', wait: resolution.wait }
  if (resolution.kind !== 'take') return undefined
  return endUnmade(context, prepared, { options, result: resolution.result, byPerson: true })
}

interface Deciding {
  readonly options: CallOptions
  readonly decided: DecidedCall
}

/** Returns undefined when the call may be made. */
async function settlePolicy(
  context: ExecutionContext,
  prepared: PreparedCall,
  { options, decided }: Deciding,
): Promise<CallEnd | undefined> {
  const ruling = ruleOn(context, prepared, decided)
  if (ruling.rule === 'deny')
    return endUnmade(context, prepared, { options, result: adviseSearch(prepared, ruling.result) })
  const refused = await refuseFoundCall(context, prepared)
  if (refused) return endUnmade(context, prepared, { options, result: refused })
  if (ruling.rule === 'allow' && !decided.isEdited) return undefined
  const problem = await refusedInput(context, prepared)
  if (problem !== undefined)
    return endUnmade(context, prepared, { options, result: { outcome: 'failed', message: problem, noEffect: true } })
  return ruling.rule === 'ask' ? { outcome: 'person_asked', wait: ruling.wait } : undefined
}

interface Unmade {
  readonly options: CallOptions
  readonly result: SeenResult
  /** A person has decided it. */
  readonly byPerson?: true
}

/** The call ends without being made, and the model is told why. */
async function endUnmade(
  context: ExecutionContext,
  prepared: PreparedCall,
  { options, result, byPerson }: Unmade,
): Promise<CallResultEntry> {
  const startedAt = performance.now()
  const begin = await start(context, [prepared], options)
  const by = byPerson && { byPerson }
  return finishCall(context, prepared, { step: options.step, result, startedAt, start: begin.change, ...by })
}

/** Returns undefined when the tool is there, and also when the model is to be told that it is not. */
async function awaitTool(
  context: ExecutionContext,
  { callId, name }: JournaledCall,
  { needsTools, allowed }: CallOptions,
): Promise<CallSleeps | CallImpossible | undefined> {
  if (allowed?.has(name) === false) return undefined
  const found = await awaitTools(context, { key: `tool:${callId}`, names: [name], kinds: ['away'] })
  if (found?.kind === 'parked') return { outcome: 'sleeps', dueAtMs: found.dueAtMs }
  return found && needsTools ? { outcome: 'unavailable', message: found.message } : undefined
}

/** A `once` call that started in an earlier execution and has no result. */
async function makeUnknown(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<CallEnd> {
  const resolution = resolveUnknown(context, call, options.rules)
  if (resolution.kind === 'ask') return { outcome: 'person_asked', wait: resolution.wait }
  if (resolution.kind === 'sleep') return { outcome: 'sleeps', dueAtMs: resolution.dueAtMs }
  if (resolution.kind === 'take') {
    const { step } = options
    const finished = { step, result: resolution.result, byPerson: true as const, startedAt: performance.now() }
    return finishCall(context, prepareCall(context, call, options.allowed), finished)
  }
  const absent = await awaitTool(context, call, options)
  if (absent) return absent
  const prepared = prepareCall(context, call, options.allowed)
  await context.yieldToEventLoop()
  await context.ledger.apply({ journal: [nextTry(context, call, options)] })
  return (await sleepInstead(context, prepared, options)) ?? sendCall(context, prepared, options)
}
