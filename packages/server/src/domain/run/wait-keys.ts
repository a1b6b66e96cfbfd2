// The engine's names for the waits of a run. Answers are stored under them.
import type { SignalAction } from '@runwright/contract'
import type { TaskKey } from './journal.ts'

export const gateKey = (key: TaskKey): string => `gate:${key}`
/** Whether a wait is that of a gate with this step id, in any plan of the run. */
export const isGateOf = (waitKey: string, stepId: string): boolean =>
  /^gate:\d+\//.test(waitKey) && waitKey.slice(waitKey.indexOf('/') + 1) === stepId
export const approvalKey = (key: TaskKey): string => `approval:${key}`
/** A question after a step. */
export const afterKey = (key: TaskKey): string => `after:${key}`
/** An approval before a call, valid only for these arguments. */
export const askKey = (callId: string, argumentsHash: string): string => `ask:${callId}:${argumentsHash}`
/** A question whether a call took place; a new one each time the call is made. 0: about the attempts before it. */
export const outcomeKey = (callId: string, times: number): string => `outcome:${callId}:${times}`

/** Undefined: another wait. */
export function outcomeOf(waitKey: string): { readonly callId: string; readonly times: number } | undefined {
  const [kind, callId, times] = waitKey.split(':')
  return kind === 'outcome' && callId !== undefined ? { callId, times: Number(times) } : undefined
}

/** Whether the wait was before the call, or about what became of it. */
export const isAboutCall = (waitKey: string, callId: string): boolean =>
  waitKey.startsWith(`ask:${callId}:`) || waitKey.startsWith(`outcome:${callId}:`)

/**
 * Whether the answer only decides about a call and passes nothing to later steps. The payload of an answer to an
 * unknown outcome is the result of the call.
 */
export const isOnlyAboutCall = (waitKey: string, action: SignalAction): boolean =>
  waitKey.startsWith('outcome:') || (waitKey.startsWith('ask:') && action !== 'submit_input')
