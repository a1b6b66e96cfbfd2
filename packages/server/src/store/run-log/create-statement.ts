// The statements that create runs, many at once: one that hopes for new idempotency keys, one that passes over used ones, and
// one that reads what a used key belongs to.
import type { RunClass } from '@runwright/contract'
import type { SealedValue } from '../../runtime/cipher-keyring.ts'
import { arrayParameter } from '../array-parameter.ts'

export interface NewRun {
  readonly id: string
  readonly customerId: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly idempotencyKey: string
  readonly bodyHash: Buffer
  readonly requestId: string
  /** JSON texts, stored as they are. */
  readonly input: string
  readonly metadata: string
  readonly attachmentRefs: readonly string[] | undefined
  readonly sensitivityTags: readonly unknown[] | undefined
  /** What was taken out of all these because of the tags; left out: nothing. */
  readonly sealed?: SealedValue | undefined
  /** JSON text. */
  readonly routing: string
  readonly streaming: boolean | undefined
  readonly plan: unknown
  readonly limits: { readonly tokens: number; readonly durationSeconds: number; readonly signalTimeoutSeconds: number }
  /** The payload of `run.created`, JSON text. */
  readonly createdPayload: string
}

type Columns = typeof arrayParameter
type Element<Type extends keyof Columns> = Parameters<Columns[Type]>[0][number]

function column<Type extends keyof Columns>(name: string, type: Type, read: (run: NewRun) => Element<Type>) {
  const encode = arrayParameter[type] as (values: readonly Element<Type>[]) => Buffer | null
  return { name, type, of: (runs: readonly NewRun[]) => encode(runs.map(read)) }
}

/** What is taken of each run, a column to a parameter. */
const columns = [
  column('id', 'uuid', (run) => run.id),
  column('customer_id', 'text', (run) => run.customerId),
  column('workspace_id', 'text', (run) => run.workspaceId),
  column('subject_id', 'text', (run) => run.subjectId),
  column('run_class', 'text', (run) => run.runClass),
  column('idempotency_key', 'text', (run) => run.idempotencyKey),
  column('request_id', 'text', (run) => run.requestId),
  column('body_hash', 'bytea', (run) => run.bodyHash),
  column('input', 'json', (run) => run.input),
  column('metadata', 'json', (run) => run.metadata),
  column('attachment_refs', 'json', (run) => jsonOf(run.attachmentRefs)),
  column('sensitivity_tags', 'json', (run) => jsonOf(run.sensitivityTags)),
  column('routing', 'json', (run) => run.routing),
  column('streaming', 'bool', (run) => run.streaming),
  column('plan', 'json', (run) => jsonOf(run.plan)),
  column('token_limit', 'int8', (run) => run.limits.tokens),
  column('duration_seconds', 'float8', (run) => run.limits.durationSeconds),
  column('signal_timeout_seconds', 'float8', (run) => run.limits.signalTimeoutSeconds),
  column('sealed', 'bytea', (run) => run.sealed?.bytes),
  // Tags without anything sealed: looked at, and nothing was secret.
  column('sealed_key', 'int4', (run) => run.sealed?.keyId ?? (run.sensitivityTags && 0)),
  column('created_payload', 'json', (run) => run.createdPayload),
]

const inputColumns = [
  'customer_id',
  'body_hash',
  'input',
  'metadata',
  'attachment_refs',
  'sensitivity_tags',
  'routing',
  'streaming',
  'plan',
  'token_limit',
  'duration_seconds',
  'signal_timeout_seconds',
  'sealed',
  'sealed_key',
  'created_payload',
]
const ofInputs = inputColumns.join(', ')

const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

/** The parameters of both statements below. */
export const createValues = (runs: readonly NewRun[]): (Buffer | null)[] => columns.map(({ of }) => of(runs))

/** A function scan over some of the columns; several of them cost less than one that is kept for all. */
const rowsOf = (...names: string[]): string => {
  const parameters = names.map((name) => {
    const index = columns.findIndex((column) => column.name === name)
    return `$${index + 1}::${columns[index]?.type}[]`
  })
  return `unnest(${parameters.join(', ')})`
}

// The instant is one for all: the runs of a batch are created together.
const clock = `
clock as materialized (
  select date_trunc('milliseconds', clock_timestamp()) as at
)`
const at = '(select at from clock)'

/**
 * Creates all of the runs, or fails because one of their keys is used already. Knowing that nobody is in the way takes about
 * a sixth off the work: nothing is looked up first, and no row has to wait for another table's verdict.
 */
export const createAllStatement = `
with ${clock},
new_runs as (
  insert into runs (id, customer_id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id,
    idempotency_key, created_at, updated_at, deadline_at)
  select id, customer_id, workspace_id, subject_id, run_class, 'queued', 2, ${at}, request_id,
    idempotency_key, ${at}, ${at}, ${at} + duration_seconds * interval '1 second'
  from ${rowsOf('id', 'customer_id', 'workspace_id', 'subject_id', 'run_class', 'request_id', 'idempotency_key', 'duration_seconds')}
    as c(id, customer_id, workspace_id, subject_id, run_class, request_id, idempotency_key, duration_seconds)
),
new_inputs as (
  insert into run_inputs (run_id, ${ofInputs}, created_at)
  select *, ${at}
  from ${rowsOf('id', ...inputColumns)}
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', ${at}, 'UTC'), 'run.created', workspace_id, subject_id, count(*), count(*)
  from ${rowsOf('customer_id', 'workspace_id', 'subject_id')} as c(customer_id, workspace_id, subject_id)
  group by customer_id, workspace_id, subject_id
)
select (extract(epoch from at) * 1000)::bigint as at_ms
from clock`

/** Creates those of the runs whose keys are not used yet, and says which; in the order of their keys whatever was given. */
export const createNewStatement = `
with new as materialized (
  select c.*, date_trunc('milliseconds', clock_timestamp()) as at
  from ${rowsOf(...columns.map(({ name }) => name))} with ordinality as c(${columns.map(({ name }) => name).join(', ')}, n)
),
inserted as (
  insert into runs (id, customer_id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id,
    idempotency_key, created_at, updated_at, deadline_at)
  select id, customer_id, workspace_id, subject_id, run_class, 'queued', 2, at, request_id,
    idempotency_key, at, at, at + duration_seconds * interval '1 second'
  from new
  order by customer_id collate "C", idempotency_key collate "C"
  on conflict (customer_id, idempotency_key) do nothing
  returning id
),
created as materialized (
  select new.*
  from new
  join inserted using (id)
),
new_inputs as (
  insert into run_inputs (run_id, ${ofInputs}, created_at)
  select id, ${ofInputs}, at
  from created
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', at, 'UTC'), 'run.created', workspace_id, subject_id, count(*), count(*)
  from created
  group by 1, 2, 4, 5
)
select n::integer, (extract(epoch from at) * 1000)::bigint as at_ms
from created`

// A statement of its own: the one above cannot see what made its insert give way.
export const usedKeysStatement = `
select k.n, r.id, r.workspace_id, r.subject_id, r.run_class, (extract(epoch from r.created_at) * 1000)::bigint as at_ms,
  i.body_hash
from unnest($1::integer[], $2::text[], $3::text[]) as k(n, customer_id, idempotency_key)
join runs r on r.customer_id = k.customer_id and r.idempotency_key = k.idempotency_key
join run_inputs i on i.run_id = r.id`
