// What a person has entered so far, and the answer that it becomes.
import type { AwaitingInput } from '@runwright/contract'
import { parseJson } from '../parts/parse-json.ts'
import { type Entry, emptyEntry, objectOf } from './entries.ts'
import type { Answer } from './use-answer.ts'

export interface Draft {
  /** Which part is open: the reason of a reject, how the call failed, or the data of a submit. */
  readonly open: 'reason' | 'error' | 'data' | undefined
  readonly reason: string
  readonly error: string
  readonly dataAs: 'fields' | 'json'
  readonly entries: readonly Entry[]
  readonly json: string
}

export const emptyDraft = ({ input_kind }: AwaitingInput): Draft => ({
  open: input_kind === 'payload' ? 'data' : input_kind === 'rejection' ? 'reason' : undefined,
  reason: '',
  error: '',
  dataAs: 'fields',
  entries: [emptyEntry],
  json: '',
})

export const rejectionOf = ({ reason }: Draft): Answer => ({
  action: 'reject',
  ...(reason.trim() !== '' && { payload: { reason: reason.trim() } }),
})

/** For a call whose outcome is not known: it was made, and failed. */
export const failureOf = ({ error }: Draft): Answer => ({ action: 'submit_input', call: { error: error.trim() } })

type Submission = { readonly answer: Answer } | { readonly problem: string }

export const submissionOf = ({ dataAs, entries, json }: Draft): Submission => {
  const parsed = dataAs === 'json' ? parseJson(json) : objectOf(entries)
  return 'problem' in parsed ? parsed : { answer: { action: 'submit_input', payload: parsed.value } }
}
