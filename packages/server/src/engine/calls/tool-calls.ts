// Makes tool calls and journals them: the start before the tool runs, then the result with its event and usage record.
// The policy is checked before a call starts; a call that needs approval writes nothing until it is approved.
import { type JournaledCall, journalEntry } from '../../domain/run/journal.ts'
import { toolMilestone } from '../../runs/step-events.ts'
import type { NewEvent } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { awaitTools } from './await-tools.ts'
import type { CallEnd, CallImpossible, CallOptions, CallSleeps } from './call-end.ts'
import { ruleOn } from './call-policy.ts'
import { openWindow } from './dispatch-window.ts'
import { finishCall } from './finish-call.ts'
import { effectOf, type PreparedCall, prepareCall } from './prepared-call.ts'
import { refusedInput } from './refused-input.ts'
import type { SeenResult } from './secret-calls.ts'
import { nextTry, sendCall } from './send-call.ts'
import { sleepInstead } from './sleeping-call.ts'
import { resolveUnknown } from './unknown-outcome.ts'

/** The first events and journal entries of calls that can start at once and are not announced yet. */
export async function startOf(context: ExecutionContext, calls: readonly JournaledCall[], options: CallOptions) {
  const fresh = calls
    .filter(({ callId }) => !context.ledger.progress.turns.startedCalls.has(callId))
    .map((call) => prepareCall(context, call, options.allowed))
  return start(
    context,
    fresh.filter((prepared) => canStart(context, prepared)),
    options,
  )
}

const canStart = (context: ExecutionContext, prepared: PreparedCall): boolean =>
  ruleOn(context, prepared).rule === 'allow' && context.catalogue.absence(prepared.call.name)?.kind !== 'away'

async function start(context: ExecutionContext, calls: readonly PreparedCall[], { step, stepMsLeft }: CallOptions) {
  const journal = calls.map(async (prepared) => {
    const { call, tool } = prepared
    const effect = await effectOf(prepared)
    // Of a search, only the result shows whether it read something.
    const touches = tool?.foundNothing ? [] : prepared.touches
    return journalEntry('call', call.callId, {
      name: call.name,
      effect,
      ...(touches.length > 0 && { touches }),
      ...(effect === 'once' && openWindow(context, call, stepMsLeft())),
    })
  })
  return {
    events: calls.map(({ call }): NewEvent => toolMilestone(step, 'tool_call_start', call)),
    journal: await Promise.all(journal),
  }
}

/** The result of a call: the journaled one, the one a person submitted, or that of calling the tool now. */
export async function makeCall(context: ExecutionContext, call: JournaledCall, options: CallOptions): Promise<CallEnd> {
  const { turns } = context.ledger.progress
  const known = turns.results.get(call.callId)
  if (known) return known
  const begun = turns.startedCalls.get(call.callId)
  if (begun?.effect === 'once' && options.begunBefore.has(call.callId)) return makeUnknown(context, call, options)
  const first = prepareCall(context, call, options.allowed)
  const settled = (!begun && (await settlePolicy(context, first, options))) || (await awaitTool(context, call, options))
  if (settled) return settled
  // While it waited for the server, that may have told what the tool is.
  const isSame = context.catalogue.find(call.name) === first.tool
  const prepared = isSame ? first : prepareCall(context, call, options.allowed)
  const refused = !begun && !isSame && (await settlePolicy(context, prepared, options))
  if (refused) return refused
  await context.yieldToEventLoop()
  if (!begun) await context.ledger.apply(await start(context, [prepared], options))
  return (await sleepInstead(context, prepared, options)) ?? sendCall(context, prepared, options)
}

/** Returns undefined when the call may be made. */
async function settlePolicy(
  context: ExecutionContext,
  prepared: PreparedCall,
  options: CallOptions,
): Promise<CallEnd | undefined> {
  const ruling = ruleOn(context, prepared)
  if (ruling.rule === 'allow') return undefined
  if (ruling.rule === 'deny') return endUnmade(context, prepared, { options, result: ruling.result })
  const problem = await refusedInput(context, prepared)
  if (problem === undefined) return { outcome: 'person_asked', wait: ruling.wait }
  return endUnmade(context, prepared, { options, result: { outcome: 'failed', message: problem, noEffect: true } })
}

interface Unmade {
  readonly options: CallOptions
  readonly result: SeenResult
}

/** The call ends without being made, and the model is told why. */
async function endUnmade(
  context: ExecutionContext,
  prepared: PreparedCall,
  { options, result }: Unmade,
): Promise<CallEnd> {
  const startedAt = performance.now()
  const begin = await start(context, [prepared], options)
  return finishCall(context, prepared, { step: options.step, result, startedAt, start: begin })
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
  const resolution = resolveUnknown(context, call)
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
