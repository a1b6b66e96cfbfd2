// What a person has entered so far, and the answer that it becomes.
import { type AwaitingInput, visibleText } from '@runwright/contract'
import { type DraftPart, isApprovalWithData, needsData, partAtFirst } from './answer-parts.ts'
import type { Answer } from './decisions/decision-box.ts'
import { type FormDraft, type FormProblems, formOf, type ReadForm, readForm, startOf } from './form.ts'
import { misplacedMask } from './misplaced-mask.ts'

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
  /** The changed arguments. */
  readonly arguments: FormDraft
  readonly error: string
  readonly result: FormDraft
  /** By the id of the call. */
  readonly calls: Readonly<Record<string, CallChoice>>
  /** The payload of the answer. */
  readonly data: FormDraft
}

/** The forms of a question. */
export const formsOf = ({ arguments: given, arguments_schema, approval_schema }: AwaitingInput) => ({
  arguments: formOf(arguments_schema ?? null, given ?? {}),
  result: formOf(null),
  data: formOf(approval_schema ?? null),
})

export const emptyDraft = (wait: AwaitingInput): Draft => {
  const forms = formsOf(wait)
  return {
    open: partAtFirst(wait),
    reason: '',
    deny: '',
    arguments: startOf(forms.arguments),
    error: '',
    result: startOf(forms.result),
    calls: {},
    data: startOf(forms.data),
  }
}

/** What is wrong with what was entered: by the place where it was. */
export interface Problems {
  readonly arguments?: FormProblems
  readonly result?: FormProblems
  readonly data?: FormProblems
  readonly calls?: string
}

export type Submission = { readonly answer: Answer } | { readonly problems: Problems }

/** The answer of the part that is open. */
export const answerOf = (part: DraftPart, draft: Draft, wait: AwaitingInput): Submission => answers[part](draft, wait)

/** Of the field with these names. */
const misplacedMaskWords = (place: readonly string[]): string =>
  `${visibleText(place.join('.'))}: *** stands for a value that is not shown to you. It is kept where the question ` +
  'shows it, if nothing is changed around it. Anywhere else, enter the value itself.'

/** The call is made with these. */
const changedArguments = (draft: Draft, wait: AwaitingInput): ReadForm => {
  const read = readForm(formsOf(wait).arguments, draft.arguments)
  if ('problems' in read) return read
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    return { problems: { whole: 'The arguments must be a JSON object.' } }
  const place = misplacedMask(read.value, wait.arguments)
  if (!place) return read
  const words = misplacedMaskWords(place)
  return { problems: draft.arguments.isJson ? { whole: words } : { fields: { [place[0] ?? '']: words } } }
}

/** What becomes of the call, with the data that the question wants beside it. */
const callAnswer = (
  place: 'arguments' | 'result' | 'error',
  said: ReadForm,
  draft: Draft,
  wait: AwaitingInput,
): Submission => {
  const data = needsData(wait) ? readForm(formsOf(wait).data, draft.data) : undefined
  const problems: Problems = {
    ...('problems' in said && { [place]: said.problems }),
    ...(data && 'problems' in data && { data: data.problems }),
  }
  if ('problems' in said || (data && 'problems' in data)) return { problems }
  return { answer: { action: 'submit_input', call: { [place]: said.value }, ...(data && { payload: data.value }) } }
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
  const data = readForm(formsOf(wait).data, draft.data)
  if ('problems' in data) return { problems: { data: data.problems } }
  return { answer: { action: isApprovalWithData(wait) ? 'approve' : 'submit_input', payload: data.value } }
}

const rejection = (reason: string): Answer => ({ action: 'reject', ...(reason !== '' && { payload: { reason } }) })

const answers: Readonly<Record<DraftPart, (draft: Draft, wait: AwaitingInput) => Submission>> = {
  reason: ({ reason }) => ({ answer: rejection(reason.trim()) }),
  // A no needs no data.
  deny: ({ deny }) => ({ answer: { action: 'submit_input', call: { deny: deny.trim() } } }),
  arguments: (draft, wait) => callAnswer('arguments', changedArguments(draft, wait), draft, wait),
  result: (draft, wait) => callAnswer('result', readForm(formsOf(wait).result, draft.result), draft, wait),
  error: (draft, wait) => callAnswer('error', { value: draft.error.trim() }, draft, wait),
  calls: callsAnswer,
  data: dataAnswer,
}
