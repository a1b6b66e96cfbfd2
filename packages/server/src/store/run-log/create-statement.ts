// The one statement that creates runs, many at once, and the one that reads back what a used idempotency key belongs to.
import type { RunClass } from '@runwright/contract'
import type { SealedValue } from '../../runtime/cipher-keyring.ts'

export interface NewRun {
  readonly id: string
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly idempotencyKey: string
  readonly bodyHash: Buffer
  readonly requestId: string
  /** JSON texts, spliced into the batch as they are. */
  readonly input: string
  readonly metadata: string
  readonly attachmentRefs: readonly string[] | undefined
  readonly sensitivityTags: readonly unknown[] | undefined
  /** What was taken out of all these because of the tags; left out: nothing. */
  readonly sealed?: SealedValue | undefined
  readonly routing: object
  readonly streaming: boolean | undefined
  readonly plan: unknown
  readonly limits: { readonly tokens: number; readonly durationSeconds: number; readonly signalTimeoutSeconds: number }
  /** The payload of `run.created`, JSON text. */
  readonly createdPayload: string
}

// Ordered by the unique key, so that two processes that insert the same keys wait for each other instead of deadlocking.
export const createStatement = `
with new as materialized (
  select c.*, date_trunc('milliseconds', clock_timestamp()) as at
  from json_to_recordset($1::json) as c(
    n integer, id uuid, customer_id text, workspace_id text, subject_id text, run_class text, idempotency_key text,
    body_hash text, request_id text, input json, metadata json, attachment_refs json, sensitivity_tags json, routing json,
    streaming boolean, plan json, token_limit bigint, duration_seconds double precision,
    signal_timeout_seconds double precision, sealed text, sealed_key integer, created_payload json)
),
inserted as (
  insert into runs (id, customer_id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id,
    idempotency_key, created_at, updated_at, deadline_at)
  select id, customer_id, workspace_id, subject_id, run_class, 'queued', 2, at, request_id,
    idempotency_key, at, at, at + duration_seconds * interval '1 second'
  from new
  order by customer_id, idempotency_key
  on conflict (customer_id, idempotency_key) do nothing
  returning id
),
created as materialized (
  select new.*
  from new
  join inserted using (id)
),
new_inputs as (
  insert into run_inputs (run_id, customer_id, body_hash, input, metadata, attachment_refs, sensitivity_tags, routing,
    streaming, plan, token_limit, duration_seconds, signal_timeout_seconds, sealed, sealed_key)
  select id, customer_id, decode(body_hash, 'hex'), input, metadata, attachment_refs, sensitivity_tags, routing,
    streaming, plan, token_limit, duration_seconds, signal_timeout_seconds, decode(sealed, 'base64'), sealed_key
  from created
),
new_events as (
  insert into events (run_id, seq, attempt, type, terminal, redacted, at, payload)
  select id, 1, 1, 'run.created', false, true, at, created_payload
  from created
),
new_usage as (
  insert into usage_records (run_id, key, customer_id, workspace_id, subject_id, event_type, quantity, at)
  select id, 'run.created', customer_id, workspace_id, subject_id, 'run.created', 1, at
  from created
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', at, 'UTC'), 'run.created', workspace_id, subject_id, count(*), count(*)
  from created
  group by 1, 2, 4, 5
)
select n, (extract(epoch from at) * 1000)::bigint as at_ms
from created`

// A second statement: the one above cannot see what made its insert give way.
export const usedKeysStatement = `
select k.n, r.id, r.workspace_id, r.subject_id, r.run_class, (extract(epoch from r.created_at) * 1000)::bigint as at_ms,
  i.body_hash
from unnest($1::integer[], $2::text[], $3::text[]) as k(n, customer_id, idempotency_key)
join runs r on r.customer_id = k.customer_id and r.idempotency_key = k.idempotency_key
join run_inputs i on i.run_id = r.id`

const optional = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/** Tags without anything sealed: looked at, and nothing was secret. */
const sealedFields = ({ sealed, sensitivityTags }: NewRun): string =>
  sensitivityTags === undefined
    ? ''
    : `,"sealed_key":${sealed?.keyId ?? 0}${optional('sealed', sealed?.bytes.toString('base64'))}`

/** One row of the batch as JSON text. */
export const createRow = (run: NewRun, n: number): string =>
  `{"n":${n},"id":"${run.id}","customer_id":${JSON.stringify(run.customerId)},"workspace_id":${JSON.stringify(run.workspaceId)},` +
  `"subject_id":${JSON.stringify(run.subjectId)},"run_class":"${run.runClass}",` +
  `"idempotency_key":${JSON.stringify(run.idempotencyKey)},"body_hash":"${run.bodyHash.toString('hex')}",` +
  `"request_id":"${run.requestId}","input":${run.input},"metadata":${run.metadata},"routing":${JSON.stringify(run.routing)}` +
  optional('attachment_refs', run.attachmentRefs) +
  optional('sensitivity_tags', run.sensitivityTags) +
  sealedFields(run) +
  optional('streaming', run.streaming) +
  optional('plan', run.plan) +
  `,"token_limit":${run.limits.tokens},"duration_seconds":${run.limits.durationSeconds},` +
  `"signal_timeout_seconds":${run.limits.signalTimeoutSeconds},"created_payload":${run.createdPayload}}`
