// The form of an answer in which two that say the same are equal, so that they count together.
import type { AnsweredCall, DecidedCall, SignalAction } from '@runwright/contract'

interface Said {
  readonly action: SignalAction
  readonly payload: unknown
  readonly call?: AnsweredCall | undefined
  readonly calls?: readonly DecidedCall[] | undefined
}

/**
 * `callId` is the call that an answer without `calls` decides about. A decision about only this one says the same as
 * without the list. The others are in the order of their ids. The order of keys is left to canonical JSON.
 */
export function answerForm({ calls, ...said }: Said, callId: string | undefined): Said {
  if (!calls) return said
  const [only, ...more] = calls
  if (only?.call_id !== callId || more.length > 0)
    return { ...said, calls: [...calls].sort((one, other) => (one.call_id < other.call_id ? -1 : 1)) }
  const { call_id: _, approve, ...call } = only as DecidedCall
  return approve ? { ...said, action: 'approve' } : { ...said, call }
}
