// Converts the form to a signal.
import type { Signal, SignalAction } from '@runwright/contract'
import { parseJson } from '../parts/parse-json.ts'

export interface AnswerDraft {
  readonly action: SignalAction
  readonly reason: string
  readonly json: string
}

export const signalOf = (
  { action, reason, json }: AnswerDraft,
  await_seq: number,
): Signal | { readonly problem: string } => {
  if (action === 'approve') return { action, await_seq }
  if (action === 'reject')
    return { action, await_seq, ...(reason.trim() !== '' && { payload: { reason: reason.trim() } }) }
  const parsed = parseJson(json)
  return 'problem' in parsed ? parsed : { action, await_seq, payload: parsed.value }
}
