// The statements that create runs, many at once: one that expects every idempotency key to be new, one that skips used
// keys, and one that reads the runs of used keys.
import type { RunClass } from '@runwright/contract'
import type { Actor } from '../../domain/actor.ts'
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import { type BatchColumn, type BatchStatement, columnOf } from '../postgres/batch-query.ts'
import { lookUp } from '../postgres/look-up.ts'
import { hasDeliveries, newDeliveries } from './new-deliveries.ts'
import { keyHash } from './removed-keys.ts'

export interface NewRun {
  readonly id: string
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly idempotencyKey: string
  readonly bodyHash: Buffer
  readonly requestId: string
  /** JSON texts, stored unchanged. */
  readonly input: string
  readonly metadata: string
  readonly attachmentRefs: readonly string[] | undefined
  readonly sensitivityTags: readonly unknown[] | undefined
  /** The tagged values that were taken out of the fields above; undefined when there are none. */
  readonly sealed?: SealedValue | undefined
  /** The smallest of the tags. */
  readonly retentionHintDays?: number | undefined
  readonly streaming: boolean | undefined
  readonly plan: unknown
  /** With tagged values masked. Null or missing: the run has none. */
  readonly title?: string | null | undefined
  readonly limits: { readonly tokens: number; readonly durationSeconds: number; readonly signalTimeoutSeconds: number }
  /** The payload of `run.created` as JSON text. A claim reads the run's routing from it. */
  readonly createdPayload: string
  /** As the client sent it. */
  readonly traceparent?: string | undefined
  /** Who creates it. Left out: the service itself. */
  readonly by?: Actor | undefined
  /** For a run that the service creates: the key that asked for it. */
  readonly onBehalfOf?: string | null | undefined
}

const column = columnOf<NewRun>()
const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

/** The parameters: one column of the batch each. A new column is added here, and to one of the lists below. */
const columns = {
  id: column('uuid', (run) => run.id),
  customer_id: column('text', (run) => run.customerId),
  workspace_id: column('text', (run) => run.workspaceId),
  subject_id: column('text', (run) => run.subjectId),
  run_class: column('text', (run) => run.runClass),
  idempotency_key: column('text', (run) => run.idempotencyKey),
  key_hash: column('bytea', (run) => keyHash(run.customerId, run.idempotencyKey)),
  request_id: column('text', (run) => run.requestId),
  body_hash: column('bytea', (run) => run.bodyHash),
  input: column('json', (run) => run.input),
  metadata: column('json', (run) => run.metadata),
  attachment_refs: column('json', (run) => jsonOf(run.attachmentRefs)),
  sensitivity_tags: column('json', (run) => jsonOf(run.sensitivityTags)),
  streaming: column('bool', (run) => run.streaming),
  plan: column('json', (run) => jsonOf(run.plan)),
  title: column('text', (run) => run.title),
  token_limit: column('int8', (run) => run.limits.tokens),
  duration_seconds: column('float8', (run) => run.limits.durationSeconds),
  signal_timeout_seconds: column('float8', (run) => run.limits.signalTimeoutSeconds),
  sealed: column('bytea', (run) => run.sealed?.bytes),
  sealed_key: column('int4', (run) => run.sealed?.keyId),
  retention_hint_days: column('int4', (run) => run.retentionHintDays),
  created_payload: column('json', (run) => run.createdPayload),
  traceparent: column('text', (run) => run.traceparent),
  created_by: column('text', (run) => run.by?.keyId),
  created_via: column('text', (run) => run.by?.via),
  created_person: column('text', (run) => run.by?.person),
  on_behalf_of: column('text', (run) => run.onBehalfOf),
}

type ColumnName = keyof typeof columns
const names = Object.keys(columns) as ColumnName[]

const runColumns: readonly ColumnName[] = [
  'id',
  'customer_id',
  'workspace_id',
  'subject_id',
  'run_class',
  'request_id',
  'idempotency_key',
  'duration_seconds',
]

const inputColumns: readonly ColumnName[] = [
  'customer_id',
  'body_hash',
  'input',
  'metadata',
  'attachment_refs',
  'sensitivity_tags',
  'streaming',
  'plan',
  'title',
  'token_limit',
  'duration_seconds',
  'signal_timeout_seconds',
  'sealed',
  'sealed_key',
  'retention_hint_days',
  'created_payload',
  'traceparent',
  'created_by',
  'created_via',
  'created_person',
  'on_behalf_of',
]

const parameter = (name: ColumnName): string => `$${names.indexOf(name) + 1}::${columns[name].type}[]`

/** The row of a removed key. */
const removedKey = (of: string): string =>
  lookUp({ 'd.customer_id': `${of}.customer_id`, 'd.key_hash': `${of}.key_hash` })

/** Some columns of the batch as rows. Several of these cost less than one CTE that holds all columns. */
const rowsOf = (wanted: readonly ColumnName[]): string => `unnest(${wanted.map(parameter).join(', ')})`

const keyColumns: readonly ColumnName[] = ['customer_id', 'key_hash']
const labels: readonly ColumnName[] = ['customer_id', 'workspace_id', 'subject_id']

/** The messages about `run.created`, which is always the first event. */
const createdDeliveries = (rows: string): string =>
  newDeliveries({
    customers: `$${names.indexOf('customer_id') + 1}::text[]`,
    rows: `
  select c.*, 1 as seq, 'run.created' as type, 'queued' as status
  from (${rows}) c`,
  })

// One instant for the whole batch: its runs are created together.
const at = '(select at from clock)'

/** Fails if one of the customers is being moved. Once for the batch. */
const refusal = `refuse_moving($${names.indexOf('customer_id') + 1}::text[]) as accepted`

// The functions that look for the keys of removed runs are called after the inserts: the result of the insert is
// joined.

/**
 * Creates all of the runs, or fails with a unique violation when one of their keys is used. That saves about a sixth of
 * the work of `createNewStatement`, which looks up each key first.
 */
export const createAllStatement: BatchStatement<NewRun> = {
  name: 'create-runs',
  columns: Object.values(columns),
  text: `
with clock as materialized (
  select date_trunc('milliseconds', clock_timestamp()) as at, ${refusal}
),
new_runs as (
  insert into runs (id, customer_id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id,
    idempotency_key, created_at, updated_at, deadline_at)
  select id, customer_id, workspace_id, subject_id, run_class, 'queued', 2, ${at}, request_id,
    idempotency_key, ${at}, ${at}, ${at} + duration_seconds * interval '1 second'
  from ${rowsOf(runColumns)} as c(${runColumns.join(', ')})
  returning 1
),
new_inputs as (
  insert into run_inputs (run_id, ${inputColumns.join(', ')}, created_at)
  select *, ${at}
  from ${rowsOf(['id', ...inputColumns])}
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', ${at}, 'UTC'), 'run.created', workspace_id, subject_id, count(*), count(*)
  from ${rowsOf(labels)} as c(${labels.join(', ')})
  group by customer_id, workspace_id, subject_id
),
${createdDeliveries(`
  select id as run_id, customer_id, workspace_id, subject_id, ${at} as at
  from ${rowsOf(['id', ...labels])} as c(id, ${labels.join(', ')})`)}
select (extract(epoch from at) * 1000)::bigint as at_ms, ${hasDeliveries} as has_deliveries,
  refuse_removed_keys(${keyColumns.map(parameter).join(', ')})
from clock
cross join (select count(*) from new_runs) inserted`,
}

/** What a statement creates beside what every run has. */
interface Additions<Run extends NewRun> {
  readonly columns: Readonly<Record<string, BatchColumn<Run>>>
  /** Which of the columns belong to `runs`, and which to `run_inputs`. */
  readonly run: readonly string[]
  readonly input: readonly string[]
  /** A further part of the statement, which reads `created`. */
  readonly writes: string
}

const nothingMore: Additions<NewRun> = { columns: {}, run: [], input: [], writes: '' }

/**
 * Creates the runs whose keys are not used yet, and returns them. Inserts in key order, against deadlocks. Fails with a
 * unique violation when the run of a key is removed meanwhile.
 */
export function createNew<Run extends NewRun>(
  name: string,
  { columns: more, run, input, writes }: Additions<Run>,
): BatchStatement<Run> {
  const everyColumn: Readonly<Record<string, BatchColumn<Run>>> = { ...columns, ...more }
  const all = Object.keys(everyColumn)
  const parameters = Object.values(everyColumn).map(({ type }, index) => `$${index + 1}::${type}[]`)
  const of = (added: readonly string[]): string => added.map((column) => `, ${column}`).join('')
  const text = `
with gate as materialized (
  select ${refusal}
),
new as materialized (
  select c.*, date_trunc('milliseconds', clock_timestamp()) as at
  from unnest(${parameters.join(', ')}) with ordinality as c(${all.join(', ')}, n)
  where (select accepted from gate)
),
inserted as (
  insert into runs (id, customer_id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id,
    idempotency_key, created_at, updated_at, deadline_at${of(run)})
  select id, customer_id, workspace_id, subject_id, run_class, 'queued', 2, at, request_id,
    idempotency_key, at, at, at + duration_seconds * interval '1 second'${of(run)}
  from new
  where not exists (select from removed_keys d where ${removedKey('new')})
  order by customer_id collate "C", idempotency_key collate "C"
  on conflict (customer_id, idempotency_key) where idempotency_key is not null do nothing
  returning id
),
created as materialized (
  select new.*
  from new
  join inserted using (id)
),
checked as materialized (
  select refuse_removed_keys(array_agg(customer_id), array_agg(key_hash))
  from created
),
new_inputs as (
  insert into run_inputs (run_id, ${inputColumns.join(', ')}, created_at${of(input)})
  select id, ${inputColumns.join(', ')}, at${of(input)}
  from created
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', at, 'UTC'), 'run.created', workspace_id, subject_id, count(*), count(*)
  from created
  group by 1, 2, 4, 5
),
${createdDeliveries(`
  select id as run_id, customer_id, workspace_id, subject_id, at
  from created`)}${writes}
select n::integer - 1 as index, (extract(epoch from at) * 1000)::bigint as at_ms, ${hasDeliveries} as has_deliveries
from created
cross join checked`
  return { name, columns: Object.values(everyColumn), text }
}

export const createNewStatement = createNew('create-new-runs', nothingMore)

/**
 * Reads the runs of used keys, and which keys belong to removed runs. The snapshot of the statement above does not see
 * the conflicting rows.
 */
export const usedKeysStatement = `
select k.n, r.id, r.workspace_id, r.subject_id, r.run_class, (extract(epoch from r.created_at) * 1000)::bigint as at_ms,
  i.body_hash
from unnest($1::integer[], $2::text[], $3::text[], $4::bytea[]) as k(n, customer_id, idempotency_key, key_hash)
left join runs r on ${lookUp({ 'r.customer_id': 'k.customer_id', 'r.idempotency_key': 'k.idempotency_key' })}
left join run_inputs i on ${lookUp({ 'i.customer_id': 'r.customer_id', 'i.run_id': 'r.id' })}
where r.id is not null or exists (select from removed_keys d where ${removedKey('k')})`
