// What a person is asked, as a wait stores it and as the signal that answers it keeps it.
import type { ApprovalRules, InputKind } from '@runwright/contract'
import type { AskedCall } from '../../domain/run/asked-call.ts'

export interface Question {
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** The call that the answer decides about; null if it decides about something else. */
  readonly call: AskedCall | null
  /** Further calls that the answer can decide about. */
  readonly others: readonly AskedCall[]
  /** Who may decide, and what the answer must match. */
  readonly rules: ApprovalRules
}

/** How much of a question a prompt shows to a model. */
const maxPromptLength = 2_000

/** What a signal answers, as `AnsweredQuestion`. */
export const answeredQuestion = (signal: string): string => `json_build_object(
  'prompt', left(${signal}.asked_content->>'prompt', ${maxPromptLength}),
  'call', case when ${signal}.asked->>'call_id' is not null then json_build_object(
    'tool', ${signal}.asked->>'tool', 'argumentsHash', ${signal}.asked->>'arguments_hash',
    'why', ${signal}.asked->>'why', 'callId', ${signal}.asked->>'call_id') end,
  'rules', ${signal}.asked->'rules', 'others', case when ${signal}.calls is not null then (
    select json_agg(json_build_object('key', o->'key', 'call_id', o->'call_id', 'tool', o->'tool',
      'arguments_hash', o->'arguments_hash', 'why', o->'why', 'prompt', left(c->>'prompt', ${maxPromptLength})) order by n)
    from rows from (
      json_array_elements(${signal}.asked->'others'), json_array_elements(${signal}.asked_content->'others')
    ) with ordinality other(o, c, n)) end)`

/** Reads the columns `wait` and `wait_content` of a run, or `asked` and `asked_content` of a signal. */
export function readQuestion(wait: string, content: string): Question {
  const asked: StoredWait = JSON.parse(wait)
  const { prompt, approval_schema, others = [], ...first }: StoredContent = JSON.parse(content)
  return {
    reasonCode: asked.reason_code,
    inputKind: asked.input_kind,
    prompt,
    call: asked.tool === undefined ? null : toAskedCall(asked as StoredCall, first),
    others: (asked.others ?? []).map((call, index) => toAskedCall(call, others[index])),
    rules: { ...asked.rules, ...(approval_schema && { approval_schema }) },
  }
}

interface StoredCall {
  readonly tool: string
  readonly arguments_hash: string | null
  readonly why: string
  readonly has_read: AskedCall['hasRead']
  readonly call_id: string
  readonly call_key: string
}

interface StoredWait extends Partial<StoredCall> {
  readonly reason_code: string
  readonly input_kind: InputKind | null
  readonly others?: readonly StoredCall[]
  readonly rules?: ApprovalRules
}

interface CallContent {
  readonly arguments?: unknown
  readonly arguments_schema?: Readonly<Record<string, unknown>>
}

interface StoredContent extends CallContent {
  readonly prompt: string | null
  readonly approval_schema?: Record<string, unknown>
  readonly others?: readonly CallContent[]
}

const toAskedCall = (call: StoredCall, content: CallContent = {}): AskedCall => ({
  tool: call.tool,
  arguments: content.arguments,
  argumentsHash: call.arguments_hash,
  why: call.why,
  hasRead: call.has_read,
  callId: call.call_id,
  idempotencyKey: call.call_key,
  schema: content.arguments_schema,
})
