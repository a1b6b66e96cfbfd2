// Reads signals that were applied: one by its idempotency key, or all of a run with what they answered.
import type { AnsweredCall, SignalAction } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'
import { type Question, readQuestion } from './question.ts'

interface SentSignal {
  readonly bodyHash: Buffer
}

export async function findSignal(
  database: Database,
  run: { readonly customerId: string; readonly id: string },
  idempotencyKey: string,
): Promise<SentSignal | undefined> {
  const [row] = await database.query<{ body_hash: Buffer }>({
    name: 'find-signal',
    text: `
select body_hash
from signals
where customer_id = $2 and run_id = $1 and idempotency_key = $3`,
    values: [run.id, run.customerId, idempotencyKey],
  })
  return row && { bodyHash: row.body_hash }
}

export interface SignalRecord {
  readonly seq: number
  readonly action: SignalAction
  readonly at: Date
  readonly keyId: string
  readonly keyName: string | null
  readonly asked: Question
  /** With placeholders in place of secrets. */
  readonly payload: unknown
  readonly call: AnsweredCall | null
}

/** How many bytes of prompts, arguments and payloads one read returns, from the newest signal backwards. */
export const maxSignalBytes = 4 * 1024 * 1024

type SignalRow = {
  seq: number
  action: SignalAction
  at: Date
  key_id: string
  key_name: string | null
  asked: string
  content_bytes: number
  asked_content: string | null
  payload_bytes: number
  payload: string | null
  call: string | null
}

/** Oldest first. What exceeds `maxSignalBytes` is replaced by a note, in the oldest signals. */
export async function findSignals(database: Database, customerId: string, runId: string): Promise<SignalRecord[]> {
  const rows = await database.query<SignalRow>({
    name: 'find-signals',
    text: `
with sized as (
  select s.seq, octet_length(s.asked_content::text) as content_bytes,
    coalesce(octet_length(s.payload::text), 0) as payload_bytes
  from signals s
  where s.customer_id = $2 and s.run_id = $1
),
kept as (
  select *, sum(content_bytes + payload_bytes) over (order by seq desc) <= $3 as is_kept
  from sized
)
select s.seq, s.action, e.at, s.key_id, s.key_name, s.asked, s.call, k.content_bytes, k.payload_bytes,
  case when k.is_kept then s.asked_content end as asked_content,
  case when k.is_kept then s.payload end as payload
from kept k
join signals s on s.customer_id = $2 and s.run_id = $1 and s.seq = k.seq
join event_rows e on ${lookUp({ 'e.customer_id': 's.customer_id', 'e.run_id': 's.run_id', 'e.seq': 's.seq' })}
order by s.seq`,
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
