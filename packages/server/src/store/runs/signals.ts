// Reads signals that were applied: one by its idempotency key, or all of a run with what they answered.
import type { AnsweredCall, ApprovalRules, AuditChannel, DecidedCall, SignalAction } from '@runwright/contract'
import { escalatesTooLate } from '../../domain/plan/approval-rules.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { type Question, readQuestion } from './question.ts'
import type { CountedVote } from './run-parts.ts'

interface SentSignal {
  readonly bodyHash: Buffer
  readonly keyId: string
  readonly person: string | null
  /** The question that it answered said who decides. */
  readonly hasRules: boolean
}

export async function findSignal(
  database: Database,
  run: { readonly customerId: string; readonly id: string },
  idempotencyKey: string,
): Promise<SentSignal | undefined> {
  const [row] = await database.query<{ body_hash: Buffer; key_id: string; person: string | null; has_rules: boolean }>({
    name: 'find-signal',
    text: `
select body_hash, key_id, person, asked->'rules' is not null as has_rules
from signals
where customer_id = $2 and run_id = $1 and idempotency_key = $3
union all
select body_hash, key_id, person, true
from votes
where customer_id = $2 and run_id = $1 and idempotency_key = $3`,
    values: [run.id, run.customerId, idempotencyKey],
  })
  return row && { bodyHash: row.body_hash, keyId: row.key_id, person: row.person, hasRules: row.has_rules }
}

/** What a signal would answer. */
export interface SignalTarget {
  /** Undefined: the run does not wait. */
  readonly seq: number | undefined
  readonly reasonCode: string | undefined
  /** The calls that the answer decides about. */
  readonly callIds: readonly string[]
  /** Who may decide, without an escalation that comes too late. Undefined: everyone who may send signals. */
  readonly rules: ApprovalRules | undefined
  /** The payload of the answer must match a schema. */
  readonly hasSchema: boolean
}

interface StoredTarget {
  readonly reason_code?: string
  readonly call_id?: string
  readonly others?: readonly { readonly call_id: string }[]
  readonly rules?: ApprovalRules
  readonly has_schema?: boolean
}

/** Undefined: the customer has no such run. */
export async function findSignalTarget(
  database: Database,
  run: { readonly customerId: string; readonly id: string },
): Promise<SignalTarget | undefined> {
  const [row] = await database.query<{ await_seq: number | null; wait: string | null; seconds: number | null }>({
    name: 'find-signal-target',
    text: `
select await_seq, wait, extract(epoch from await_until - updated_at)::double precision as seconds
from runs
where customer_id = $2 and id = $1`,
    values: [run.id, run.customerId],
  })
  if (!row) return undefined
  const wait: StoredTarget = JSON.parse(row.wait ?? '{}')
  return {
    seq: row.await_seq ?? undefined,
    reasonCode: wait.reason_code,
    callIds: [...(wait.call_id === undefined ? [] : [wait.call_id]), ...(wait.others ?? []).map((one) => one.call_id)],
    rules: inTime(wait.rules, row.seconds ?? 0),
    hasSchema: wait.has_schema === true,
  }
}

function inTime(rules: ApprovalRules | undefined, waitSeconds: number): ApprovalRules | undefined {
  if (!escalatesTooLate(rules, waitSeconds)) return rules
  const { escalate_after_seconds: _, escalate_to: __, ...others } = rules ?? {}
  return others
}

export interface SignalRecord {
  readonly seq: number
  readonly action: SignalAction
  readonly at: Date
  readonly keyId: string
  readonly keyName: string | null
  readonly person: string | null
  readonly roles: readonly string[]
  readonly via: AuditChannel
  /** Others had to decide, too. */
  readonly counted: boolean
  readonly asked: Question
  /** With placeholders in place of secrets. */
  readonly payload: unknown
  readonly call: AnsweredCall | null
  readonly calls: readonly DecidedCall[] | null
}

/** How many bytes of prompts, arguments and payloads one read returns, from the newest signal backwards. */
export const maxSignalBytes = 4 * 1024 * 1024

type SignalRow = {
  seq: number
  action: SignalAction
  at: Date
  key_id: string
  key_name: string | null
  person: string | null
  roles: string
  via: AuditChannel
  counted: boolean
  asked: string
  content_bytes: number
  asked_content: string | null
  payload_bytes: number
  payload: string | null
  call: string | null
  calls: string | null
}

/** Oldest first. What exceeds `maxSignalBytes` is replaced by a note, in the oldest signals. */
export async function findSignals(database: Database, customerId: string, runId: string): Promise<SignalRecord[]> {
  const rows = await database.query<SignalRow>({
    name: 'find-signals',
    text: `
with answer as (
  select s.seq, 0 as nth, s.action, null::timestamptz as at, s.key_id, s.key_name, s.person, s.roles, s.via,
    s.asked, s.asked_content, s.payload, s.call, s.calls
  from signals s
  where s.customer_id = $2 and s.run_id = $1
  union all
  select v.await_seq + 1, v.nth, v.action, v.at, v.key_id, v.key_name, v.person, v.roles, v.via,
    v.asked, v.asked_content, v.payload, v.call, v.calls
  from votes v
  where v.customer_id = $2 and v.run_id = $1
),
sized as (
  select seq, nth, octet_length(asked_content::text) as content_bytes,
    coalesce(octet_length(payload::text), 0) + coalesce(octet_length(call::text), 0)
      + coalesce(octet_length(calls::text), 0) as payload_bytes
  from answer
),
kept as (
  select *, sum(content_bytes + payload_bytes) over (order by seq desc, nth = 0 desc, nth desc) <= $3 as is_kept
  from sized
)
select s.seq, s.action, coalesce(s.at, e.at) as at, s.key_id, s.key_name, s.person, s.roles, s.via,
  s.nth > 0 as counted, s.asked, k.content_bytes, k.payload_bytes,
  case when k.is_kept then s.asked_content end as asked_content,
  case when k.is_kept then s.payload end as payload,
  case when k.is_kept then s.call end as call,
  case when k.is_kept then s.calls end as calls
from kept k
join answer s on s.seq = k.seq and s.nth = k.nth
left join event_rows e on s.nth = 0
  and ${lookUp({ 'e.customer_id': '$2', 'e.run_id': '$1::uuid', 'e.seq': 's.seq' })}
order by s.seq, s.nth = 0, s.nth`,
    values: [runId, customerId, maxSignalBytes],
  })
  return rows.map(readSignalRow)
}

const readSignalRow = (row: SignalRow): SignalRecord => ({
  seq: row.seq,
  action: row.action,
  at: row.at,
  keyId: row.key_id,
  keyName: row.key_name,
  asked: readQuestion(row.asked, row.asked_content ?? leftOutContent(row)),
  payload: payloadOf(row),
  call: row.call === null ? null : JSON.parse(row.call),
  calls: row.calls === null ? null : JSON.parse(row.calls),
  person: row.person,
  roles: JSON.parse(row.roles),
  via: row.via,
  counted: row.counted,
})

function leftOutContent({ content_bytes }: SignalRow): string {
  const note = leftOut(content_bytes)
  return JSON.stringify({ prompt: note, arguments: note })
}

function payloadOf({ payload, payload_bytes, asked_content }: SignalRow): unknown {
  if (payload !== null) return JSON.parse(payload)
  return asked_content === null && payload_bytes > 0 ? leftOut(payload_bytes) : null
}

export const leftOut = (bytes: number): string => `(${bytes.toLocaleString('en-US')} bytes left out)…`

export interface VoteRecord
  extends Pick<SignalRecord, 'action' | 'at' | 'keyId' | 'keyName' | 'person' | 'roles' | 'via'> {
  readonly payload: unknown
  readonly call: AnsweredCall | null
  readonly calls: readonly DecidedCall[] | null
}

type VoteRow = Pick<
  SignalRow,
  'action' | 'at' | 'key_id' | 'key_name' | 'person' | 'roles' | 'via' | 'payload' | 'call' | 'calls'
> & {
  run_id: string
  left_out: number | null
}

/**
 * The answers to open waits that count, by run, oldest first. What exceeds `maxSignalBytes` in a run is replaced by a
 * note, in its oldest answers.
 */
export async function findVotes(
  database: Database,
  customerId: string,
  waits: readonly OpenWait[],
): Promise<Map<string, VoteRecord[]>> {
  const wanted = waits.flatMap(({ id, seq, votes }) => withinLimit(votes).map((vote) => ({ id, seq, ...vote })))
  const rows = await database.query<VoteRow>({
    name: 'find-votes',
    text: `
select v.run_id, v.action, v.at, v.key_id, v.key_name, v.person, v.roles, v.via, w.left_out,
  case when w.left_out is null then v.payload end as payload,
  case when w.left_out is null then v.call end as call,
  case when w.left_out is null then v.calls end as calls
from unnest($2::uuid[], $3::integer[], $4::integer[], $5::integer[]) as w(run_id, seq, nth, left_out)
join votes v on ${lookUp({ 'v.customer_id': '$1', 'v.run_id': 'w.run_id', 'v.await_seq': 'w.seq', 'v.nth': 'w.nth' })}
order by v.run_id, v.nth`,
    values: [
      customerId,
      wanted.map(({ id }) => id),
      wanted.map(({ seq }) => seq),
      wanted.map(({ nth }) => nth),
      wanted.map(({ leftOut: bytes }) => bytes),
    ],
  })
  const votes = new Map<string, VoteRecord[]>()
  for (const row of rows) votes.set(row.run_id, [...(votes.get(row.run_id) ?? []), toVote(row)])
  return votes
}

export interface OpenWait {
  readonly id: string
  readonly seq: number
  readonly votes: readonly CountedVote[]
}

/** `leftOut` says how many bytes of an answer are not read; null: it is read. */
function withinLimit(votes: readonly CountedVote[]) {
  let read = 0
  return votes.toReversed().map(({ nth, bytes }) => {
    read += bytes
    return { nth, leftOut: read <= maxSignalBytes ? null : bytes }
  })
}

const toVote = (row: VoteRow): VoteRecord => ({
  action: row.action,
  at: row.at,
  keyId: row.key_id,
  keyName: row.key_name,
  person: row.person,
  roles: JSON.parse(row.roles),
  via: row.via,
  payload: row.left_out === null ? JSON.parse(row.payload ?? 'null') : leftOut(row.left_out),
  call: row.call === null ? null : JSON.parse(row.call),
  calls: row.calls === null ? null : JSON.parse(row.calls),
})
