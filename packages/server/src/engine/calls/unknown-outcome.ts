// A `once` call that has started and has no result: it may or may not have taken place. It is made again by itself only
// if it is certain that nothing left the process; otherwise a person decides, once it can no longer be under way.

import type { ApprovalRules } from '@runwright/contract'
import type { Answer } from '../../domain/run/answer-log.ts'
import type { JournaledCall, TryEntry } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import type { RunProgress } from '../../domain/run/progress.ts'
import { outcomeKey } from '../../domain/run/wait-keys.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { askedCall } from './asked-call.ts'
import { rulesOf } from './call-policy.ts'
import { denied, endOf } from './decided-call.ts'
import type { SeenResult } from './secret-calls.ts'

export type Resolution =
  /** The call is made once more. */
  | { readonly kind: 'make' }
  | { readonly kind: 'ask'; readonly wait: Wait }
  /** It may still be sent or under way until this time of the run. */
  | { readonly kind: 'sleep'; readonly dueAtMs: number }
  /** A person said how the call ended. */
  | { readonly kind: 'take'; readonly result: SeenResult }

export function resolveUnknown(context: ExecutionContext, call: JournaledCall, rules?: ApprovalRules): Resolution {
  const { progress } = context.ledger
  const { times = 1, endsByMs = 0 } = progress.turns.startedCalls.get(call.callId) ?? {}
  if (progress.turns.lastTryOf(call.callId)?.outcome === 'not_sent') return { kind: 'make' }
  const answer = progress.answers.to(outcomeKey(call.callId, times))
  // An approval covers one more try. If that is interrupted as well, a person is asked again.
  if (answer) return answer.action === 'submit_input' ? { kind: 'take', result: resultIn(answer) } : { kind: 'make' }
  const mayBeUnderWay = progress.turns.lastTryOf(call.callId) === undefined && context.clock.elapsedMs < endsByMs
  if (mayBeUnderWay) return { kind: 'sleep', dueAtMs: endsByMs }
  return { kind: 'ask', wait: questionAbout(context, call, { key: outcomeKey(call.callId, times), rules }) }
}

interface EarlierCalls {
  /** Oldest first. */
  readonly earlier: readonly string[]
  readonly rules: ApprovalRules | undefined
}

/** Before the first try of a call whose step has tried before. */
export function resolveEarlier(
  context: ExecutionContext,
  call: JournaledCall,
  { earlier, rules }: EarlierCalls,
): Resolution {
  const { progress } = context.ledger
  const callId = leftOpen(progress, earlier)
  if (callId === undefined) return { kind: 'make' }
  const key = outcomeKey(call.callId, 0)
  const answer = progress.answers.to(key)
  if (!answer) {
    const { edited: input = call.input } = progress.turns.startedCalls.get(callId) ?? {}
    return { kind: 'ask', wait: questionAbout(context, { ...call, callId, input }, { key, rules }) }
  }
  return answer.action === 'submit_input' ? { kind: 'take', result: resultIn(answer) } : { kind: 'make' }
}

/**
 * The last of these calls, if a person has only decided not to make it again: it may have taken effect. A call that was
 * not made because of that leaves open what it found open.
 */
export function leftOpen({ turns, answers }: RunProgress, calls: readonly string[]): string | undefined {
  const isDenied = (callId: string, times: number) => answers.to(outcomeKey(callId, times))?.call?.deny !== undefined
  const last = calls.findLast((callId) => !isDenied(callId, 0))
  return last !== undefined && isDenied(last, turns.startedCalls.get(last)?.times ?? 1) ? last : undefined
}

function resultIn({ call, payload }: Answer): SeenResult {
  if (!call) return { outcome: 'succeeded', output: payload }
  if (call.deny === undefined) return endOf(call) ?? { outcome: 'succeeded', output: payload }
  return denied(
    `A person decided not to make this call again: ${call.deny}. Whether the earlier attempt took effect is not known.`,
  )
}

const stillRunning = 'may still be running'

/** Whether the question was about a try that had timed out. */
export const mayStillRun = (prompt: string): boolean => prompt.includes(`The earlier attempt ${stillRunning}.`)

interface Unknown {
  /** Contains the number of tries, so each try is asked about separately. */
  readonly key: string
  /** Who decides about the step. */
  readonly rules: ApprovalRules | undefined
}

export function questionAbout(context: ExecutionContext, call: JournaledCall, { key, rules }: Unknown): Wait {
  const ended = context.ledger.progress.turns.lastTryOf(call.callId)
  const isOver = ended?.outcome !== 'timeout'
  const asked = askedCall(context, call, whyUnknown(ended))
  return {
    key,
    reasonCode: 'tool_outcome_unknown',
    inputKind: 'approval',
    prompt:
      `It is not known whether this call of ${call.name} took effect. The earlier attempt ` +
      `${isOver ? 'can no longer be sent' : stillRunning}. Find out with the idempotency key ` +
      `${asked.idempotencyKey} (tool call ${asked.callId}). Approve to make it again, submit its result, or say that ` +
      'it failed.',
    call: asked,
    rules: rulesOf(context, call) ?? rules,
  }
}

/** The error comes last, so that nothing that a tool writes can pass for the words of the service. */
function whyUnknown(ended: TryEntry | undefined): string {
  if (!ended || ended.outcome === 'not_sent') {
    return 'The service stopped during this call, so its outcome is not known.'
  }
  return `The call failed after it was sent, so its outcome is not known. Its error: ${ended.message}`
}
