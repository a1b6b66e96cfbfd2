// What a person has entered so far, and the answer that it becomes.
import type { AskedCall, AwaitingInput } from '@runwright/contract'
import { hasMask } from '../parts/mask.ts'
import { parseJson } from '../parts/parse-json.ts'
import type { Answer } from './decisions/decision-box.ts'
import { type Entry, emptyEntry, objectOf } from './entries.ts'
import { entriesOfSchema } from './schema-entries.ts'

/** The part of the answer that is open. */
export type DraftPart = 'reason' | 'deny' | 'arguments' | 'error' | 'result' | 'data' | 'calls'

/** What becomes of one of several calls. `later`: it is asked about again. */
export interface CallChoice {
  readonly kind: 'approve' | 'deny' | 'later'
  /** Of a denial. */
  readonly reason: string
}

export const undecided: CallChoice = { kind: 'later', reason: '' }

export interface Draft {
  readonly open: DraftPart | undefined
  /** Of a rejection. */
  readonly reason: string
  /** Why the call is not made. */
  readonly deny: string
  /** The changed arguments, as JSON. */
  readonly arguments: string
  readonly error: string
  /** By the id of the call. */
  readonly calls: Readonly<Record<string, CallChoice>>
  readonly dataAs: 'fields' | 'json'
  readonly entries: readonly Entry[]
  readonly json: string
}

export const emptyDraft = ({ input_kind, approval_schema, arguments: given }: AwaitingInput): Draft => ({
  open:
    input_kind === 'payload' || (approval_schema ?? null) !== null
      ? 'data'
      : input_kind === 'rejection'
        ? 'reason'
        : undefined,
  reason: '',
  deny: '',
  arguments: JSON.stringify(given ?? {}, undefined, 2),
  error: '',
  calls: {},
  dataAs: 'fields',
  entries: entriesOfSchema(approval_schema) ?? [emptyEntry],
  json: '',
})

export const rejectionOf = ({ reason }: Draft): Answer => ({
  action: 'reject',
  ...(reason.trim() !== '' && { payload: { reason: reason.trim() } }),
})

/** For a call whose outcome is not known: it was made, and failed. */
export const failureOf = ({ error }: Draft): Answer => ({ action: 'submit_input', call: { error: error.trim() } })

/** The call is not made, and the model goes on. */
export const denialOf = ({ deny }: Draft): Answer => ({ action: 'submit_input', call: { deny: deny.trim() } })

type Submission = { readonly answer: Answer } | { readonly problem: string }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The call is made with other arguments. */
export const changeOf = ({ arguments: text }: Draft): Submission => {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  if (!isObject(parsed.value)) return { problem: 'The arguments must be a JSON object.' }
  if (hasMask(parsed.value))
    return { problem: 'Enter the masked values (***) again: what they stand for is not shown.' }
  return { answer: { action: 'submit_input', call: { arguments: parsed.value } } }
}

/** Several calls of one turn with one answer. Those that are left out are asked about again. */
export const callsOf = ({ calls: choices }: Draft, asked: readonly Pick<AskedCall, 'call_id'>[]): Submission => {
  const decided = asked.flatMap(({ call_id }) => {
    const { kind, reason } = choices[call_id] ?? undecided
    if (kind === 'later') return []
    return [kind === 'approve' ? { call_id, approve: true as const } : { call_id, deny: reason.trim() }]
  })
  if (decided.length === 0) return { problem: 'Decide about at least one of the calls.' }
  if (decided.some(({ deny }) => deny === '')) return { problem: 'Say why a call is denied: the model reads it.' }
  return { answer: { action: 'submit_input', calls: decided } }
}

const dataOf = ({ dataAs, entries, json }: Draft) => (dataAs === 'json' ? parseJson(json) : objectOf(entries))

/** The call is not made: this is its result. */
export const resultOf = (draft: Draft): Submission => {
  const parsed = dataOf(draft)
  return 'problem' in parsed ? parsed : { answer: { action: 'submit_input', call: { result: parsed.value } } }
}

/** Data for the run. Where an approval needs data, it is the approval. */
export const submissionOf = (draft: Draft, { input_kind, approval_schema }: QuestionOfData): Submission => {
  const parsed = dataOf(draft)
  if ('problem' in parsed) return parsed
  const isApproval = (approval_schema ?? null) !== null && input_kind !== 'payload'
  return { answer: { action: isApproval ? 'approve' : 'submit_input', payload: parsed.value } }
}

type QuestionOfData = Pick<AwaitingInput, 'input_kind' | 'approval_schema'>
