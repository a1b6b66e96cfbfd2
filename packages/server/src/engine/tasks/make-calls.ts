// Makes the calls of one reply: read-only calls in parallel, calls with side effects one after another.
import { maxAnsweredCalls } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { OtherCall } from '../../domain/run/asked-call.ts'
import type { CallResultEntry, JournaledCall } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import type { CallEnd, CallOptions } from '../calls/call-end.ts'
import { orderCalls } from '../calls/once-calls.ts'
import { endRepeated, makeCall, questionBefore } from '../calls/tool-calls.ts'
import type { ExecutionContext } from '../context/execution-context.ts'

type CallsEnd =
  | { readonly kind: 'results'; readonly results: readonly CallResultEntry[] }
  | { readonly kind: 'person_asked'; readonly wait: Wait }
  | { readonly kind: 'parked'; readonly dueAtMs: number }
  /** The step needs a tool that cannot be reached. */
  | { readonly kind: 'unavailable'; readonly message: string }

export async function makeCalls(
  context: ExecutionContext,
  calls: readonly JournaledCall[],
  options: CallOptions,
): Promise<CallsEnd> {
  const ends = new Map<string, CallEnd>()
  const { groups, repeats } = await orderCalls(context, calls)
  let isHeldUp = false
  for (const group of groups) {
    // Calls with side effects keep their order: the next one waits until the one before it is decided.
    if (group.isOnce && isHeldUp) continue
    const made = await Promise.all(group.calls.map((call) => makeCall(context, call, options)))
    for (const [index, call] of group.calls.entries()) ends.set(call.callId, made[index] as CallEnd)
    isHeldUp ||= group.isOnce && unfinishedEnd(made) !== undefined
  }
  // Only now, so that the read-only calls are made even if another call is unfinished.
  const unfinished = unfinishedEnd([...ends.values()])
  const asked = calls.filter(({ callId }) => !repeats.has(callId))
  if (unfinished?.kind === 'person_asked')
    return { ...unfinished, wait: await askAbout(context, unfinished.wait, { ends, calls: asked, options }) }
  if (unfinished) return unfinished
  const results: CallResultEntry[] = []
  for (const call of calls) {
    const first = repeats.get(call.callId)
    const end = first ? await endRepeated(context, call, { first, options }) : ends.get(call.callId)
    results.push(end as CallResultEntry)
  }
  return { kind: 'results', results }
}

interface Asked {
  readonly ends: ReadonlyMap<string, CallEnd>
  readonly calls: readonly JournaledCall[]
  readonly options: CallOptions
}

/** The question, with all calls of the turn that the same people can decide about now. */
async function askAbout(context: ExecutionContext, first: Wait, { ends, calls, options }: Asked): Promise<Wait> {
  if (first.reasonCode !== 'approval_required') return first
  const others: OtherCall[] = []
  for (const call of calls) {
    const end = ends.get(call.callId)
    const asked = end?.outcome === 'person_asked' ? end.wait : undefined
    const wait = end === undefined ? await questionBefore(context, call, options) : asked
    if (!wait?.call || wait.key === first.key || wait.reasonCode !== first.reasonCode) continue
    if (canonicalJson(wait.rules ?? {}) === canonicalJson(first.rules ?? {}))
      others.push({ key: wait.key, prompt: wait.prompt, call: wait.call })
  }
  return others.length > 0 ? { ...first, others: others.slice(0, maxAnsweredCalls - 1) } : first
}

/** A tool that cannot be reached ends the step, then a question comes first; otherwise the run sleeps. */
function unfinishedEnd(ends: readonly CallEnd[]): CallsEnd | undefined {
  const dueTimes: number[] = []
  const impossible = ends.find((end) => end.outcome === 'unavailable')
  if (impossible) return { kind: 'unavailable', message: impossible.message }
  for (const end of ends) {
    if (end.outcome === 'person_asked') return { kind: 'person_asked', wait: end.wait }
    if (end.outcome === 'sleeps') dueTimes.push(end.dueAtMs)
  }
  return dueTimes.length > 0 ? { kind: 'parked', dueAtMs: Math.min(...dueTimes) } : undefined
}
