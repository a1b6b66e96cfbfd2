// The answer that somebody else has given, as a draft: answers count together only if they say the same.
import type { AwaitingInput, Decision } from '@runwright/contract'
import { hasMask } from '../parts/mask.ts'
import { partsOf } from './answer-parts.ts'
import type { Answer } from './decisions/decision-box.ts'
import { answerOf, type CallChoice, type Draft, emptyDraft, formsOf } from './draft.ts'
import { filledWith } from './form.ts'
import { isSameJson } from './same-json.ts'

type Said = Pick<Decision, 'action' | 'payload' | 'call' | 'calls'>

const hasData = (payload: unknown): boolean => payload !== null && payload !== undefined

const choicesOf = (calls: NonNullable<Said['calls']>): Readonly<Record<string, CallChoice>> =>
  Object.fromEntries(
    calls.map(({ call_id, approve, deny = '' }) => [call_id, { kind: approve ? 'approve' : 'deny', reason: deny }]),
  )

const filled = ({ payload, call, calls }: Said, wait: AwaitingInput): Draft => {
  const forms = formsOf(wait)
  const empty = emptyDraft(wait)
  const draft = hasData(payload) ? { ...empty, data: filledWith(forms.data, payload) } : empty
  if (calls) return { ...draft, open: 'calls', calls: choicesOf(calls) }
  if (call?.arguments) return { ...draft, open: 'arguments', arguments: filledWith(forms.arguments, call.arguments) }
  if (call?.error !== undefined) return { ...draft, open: 'error', error: call.error }
  if (call) return { ...draft, open: 'result', result: filledWith(forms.result, call.result) }
  return { ...draft, open: 'data' }
}

const formOfAnswer = ({ action, payload, call, calls }: Said | Answer) => ({
  action,
  payload: payload ?? null,
  call: call ?? null,
  calls: calls?.toSorted((one, other) => (one.call_id < other.call_id ? -1 : 1)) ?? null,
})

/** What the service has masked in an answer cannot be given again. In arguments, a mask that was there may stay. */
const hidesData = ({ payload, call, calls }: Said): boolean =>
  hasMask([payload, call?.result, call?.error, calls?.map(({ deny }) => deny)])

/**
 * Undefined: the page cannot say the same, or it is an approval and nothing more, which has a button of its own.
 */
export const sameDraft = (said: Said, wait: AwaitingInput): Draft | undefined => {
  if (hidesData(said)) return undefined
  const draft = filled(said, wait)
  if (draft.open === undefined || !partsOf(wait).includes(draft.open)) return undefined
  const submission = answerOf(draft.open, draft, wait)
  const isSame = 'answer' in submission && isSameJson(formOfAnswer(submission.answer), formOfAnswer(said))
  return isSame ? draft : undefined
}
