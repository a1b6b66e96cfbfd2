// What a person has entered so far, and the answer that it becomes.
import type { AwaitingInput } from '@runwright/contract'
import { hasMask } from '../parts/mask.ts'
import { parseJson } from '../parts/parse-json.ts'
import { type DraftPart, isApprovalWithData, needsData, partAtFirst } from './answer-parts.ts'
import type { Answer } from './decisions/decision-box.ts'
import { type Entry, emptyEntry, objectOf } from './entries.ts'
import { entriesOfSchema } from './schema-entries.ts'

/** What becomes of one of several calls. `later`: it is asked about again. */
export interface CallChoice {
  readonly kind: 'approve' | 'deny' | 'later'
  /** Of a denial. */
  readonly reason: string
}

export const undecided: CallChoice = { kind: 'later', reason: '' }

/** Data as it is entered. */
export interface DataDraft {
  readonly as: 'fields' | 'json'
  readonly entries: readonly Entry[]
  readonly json: string
}

export interface Draft {
  readonly open: DraftPart | undefined
  /** Of a rejection. */
  readonly reason: string
  /** Why the call is not made. */
  readonly deny: string
  /** The changed arguments, as JSON. */
  readonly arguments: string
  readonly error: string
  readonly result: DataDraft
  /** By the id of the call. */
  readonly calls: Readonly<Record<string, CallChoice>>
  /** The payload of the answer. */
  readonly data: DataDraft
}

const emptyData: DataDraft = { as: 'fields', entries: [emptyEntry], json: '' }

export const emptyDraft = (wait: AwaitingInput): Draft => ({
  open: partAtFirst(wait),
  reason: '',
  deny: '',
  arguments: JSON.stringify(wait.arguments ?? {}, undefined, 2),
  error: '',
  result: emptyData,
  calls: {},
  data: { ...emptyData, entries: entriesOfSchema(wait.approval_schema) ?? emptyData.entries },
})

/** What is wrong with what was entered: by the place where it was. */
export type Problems = Readonly<Partial<Record<'arguments' | 'result' | 'calls' | 'data', string>>>
export type Submission = { readonly answer: Answer } | { readonly problems: Problems }

/** The answer of the part that is open. */
export const answerOf = (part: DraftPart, draft: Draft, wait: AwaitingInput): Submission => answers[part](draft, wait)

const dataOf = ({ as, entries, json }: DataDraft) => (as === 'json' ? parseJson(json) : objectOf(entries))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const argumentsOf = (text: string) => {
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  if (!isObject(parsed.value)) return { problem: 'The arguments must be a JSON object.' }
  return hasMask(parsed.value)
    ? { problem: 'Enter the masked values (***) again: what they stand for is not shown.' }
    : { value: parsed.value }
}

type Read = { readonly value: unknown } | { readonly problem: string }

/** What becomes of the call, with the data that the question wants beside it. */
const callAnswer = (
  place: 'arguments' | 'result' | 'error',
  said: Read,
  draft: Draft,
  wait: Pick<AwaitingInput, 'approval_schema'>,
): Submission => {
  const data: Read | undefined = needsData(wait) ? dataOf(draft.data) : undefined
  const problems: Problems = {
    ...('problem' in said && { [place]: said.problem }),
    ...(data && 'problem' in data && { data: data.problem }),
  }
  if ('problem' in said || (data && 'problem' in data)) return { problems }
  return {
    answer: {
      action: 'submit_input',
      call: { [place]: said.value },
      ...(data && { payload: data.value }),
    },
  }
}

/** Several calls of one turn with one answer. Those that are left out are asked about again. */
const callsAnswer = ({ calls: choices }: Draft, { calls }: AwaitingInput): Submission => {
  const decided = (calls ?? []).flatMap(({ call_id }) => {
    const { kind, reason } = choices[call_id] ?? undecided
    if (kind === 'later') return []
    return [kind === 'approve' ? { call_id, approve: true as const } : { call_id, deny: reason.trim() }]
  })
  if (decided.length === 0) return { problems: { calls: 'Decide about at least one of the calls.' } }
  if (decided.some(({ deny }) => deny === ''))
    return { problems: { calls: 'Say why a call is denied: the model reads it.' } }
  return { answer: { action: 'submit_input', calls: decided } }
}

/** Data for the run. Where an approval needs data, it is the approval. */
const dataAnswer = (draft: Draft, wait: AwaitingInput): Submission => {
  const data = dataOf(draft.data)
  if ('problem' in data) return { problems: { data: data.problem } }
  return { answer: { action: isApprovalWithData(wait) ? 'approve' : 'submit_input', payload: data.value } }
}

const rejection = (reason: string): Answer => ({ action: 'reject', ...(reason !== '' && { payload: { reason } }) })

const answers: Readonly<Record<DraftPart, (draft: Draft, wait: AwaitingInput) => Submission>> = {
  reason: ({ reason }) => ({ answer: rejection(reason.trim()) }),
  // A no needs no data.
  deny: ({ deny }) => ({ answer: { action: 'submit_input', call: { deny: deny.trim() } } }),
  arguments: (draft, wait) => callAnswer('arguments', argumentsOf(draft.arguments), draft, wait),
  result: (draft, wait) => callAnswer('result', dataOf(draft.result), draft, wait),
  error: (draft, wait) => callAnswer('error', { value: draft.error.trim() }, draft, wait),
  calls: callsAnswer,
  data: dataAnswer,
}
