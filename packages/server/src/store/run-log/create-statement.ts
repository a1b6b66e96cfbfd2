// The statements that create runs, many at once: one that hopes for new idempotency keys, one that passes over used ones, and
// one that reads what a used key belongs to.
import type { RunClass } from '@runwright/contract'
import type { SealedValue } from '../../runtime/cipher-keyring.ts'
import { type BatchStatement, columnOf, gather } from '../postgres/batch-query.ts'

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
  readonly streaming: boolean | undefined
  readonly plan: unknown
  readonly limits: { readonly tokens: number; readonly durationSeconds: number; readonly signalTimeoutSeconds: number }
  /** The payload of `run.created`, JSON text: how the run was routed is read from here. */
  readonly createdPayload: string
}

const column = columnOf<NewRun>()

/** What is taken of each run, a column to a parameter. */
const columns = {
  id: column('uuid', (run) => run.id),
  customer_id: column('text', (run) => run.customerId),
  workspace_id: column('text', (run) => run.workspaceId),
  subject_id: column('text', (run) => run.subjectId),
  run_class: column('text', (run) => run.runClass),
  idempotency_key: column('text', (run) => run.idempotencyKey),
  request_id: column('text', (run) => run.requestId),
  body_hash: column('bytea', (run) => run.bodyHash),
  input: column('json', (run) => run.input),
  metadata: column('json', (run) => run.metadata),
  attachment_refs: column('json', (run) => jsonOf(run.attachmentRefs)),
  sensitivity_tags: column('json', (run) => jsonOf(run.sensitivityTags)),
  streaming: column('bool', (run) => run.streaming),
  plan: column('json', (run) => jsonOf(run.plan)),
  token_limit: column('int8', (run) => run.limits.tokens),
  duration_seconds: column('float8', (run) => run.limits.durationSeconds),
  signal_timeout_seconds: column('float8', (run) => run.limits.signalTimeoutSeconds),
  sealed: column('bytea', (run) => run.sealed?.bytes),
  // Tags without anything sealed: looked at, and nothing was secret.
  sealed_key: column('int4', (run) => run.sealed?.keyId ?? (run.sensitivityTags && 0)),
  created_payload: column('json', (run) => run.createdPayload),
}

type ColumnName = keyof typeof columns
const names = Object.keys(columns) as ColumnName[]

const inputColumns: readonly ColumnName[] = [
  'customer_id',
  'body_hash',
  'input',
  'metadata',
  'attachment_refs',
  'sensitivity_tags',
  'streaming',
  'plan',
  'token_limit',
  'duration_seconds',
  'signal_timeout_seconds',
  'sealed',
  'sealed_key',
  'created_payload',
]

const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

/**
 * A function scan over some of the columns that a statement has; several of them cost less than one that is kept for all, and
 * each column has its price, also without values.
 */
const rowsOf = (wanted: readonly ColumnName[], all: readonly ColumnName[]): string =>
  `unnest(${wanted.map((name) => `$${all.indexOf(name) + 1}::${columns[name].type}[]`).join(', ')})`

interface Count extends Pick<NewRun, 'customerId' | 'workspaceId' | 'subjectId'> {
  count: number
}

const countColumn = columnOf<Count>()

/** How many runs have the same labels; for a batch it costs less to find out here than in the statement. */
const counted = gather(countByLabels, [
  countColumn('text', ({ customerId }) => customerId),
  countColumn('text', ({ workspaceId }) => workspaceId),
  countColumn('text', ({ subjectId }) => subjectId),
  countColumn('int8', ({ count }) => count),
])
const rowsCounted = (after: number): string =>
  `unnest(${counted.columns.map(({ type }, n) => `$${after + n + 1}::${type}[]`).join(', ')})`

function countByLabels(runs: readonly NewRun[]): Count[] {
  const counts = new Map<string, Count>()
  for (const { customerId, workspaceId, subjectId } of runs) {
    // No label has a U+0000.
    const labels = `${customerId}\0${marked(workspaceId)}\0${marked(subjectId)}`
    const known = counts.get(labels)
    if (known) known.count += 1
    else counts.set(labels, { customerId, workspaceId, subjectId, count: 1 })
  }
  return [...counts.values()]
}

const marked = (label: string | null): string => (label === null ? '' : `=${label}`)

// The instant is one for all: the runs of a batch are created together.
const clock = `
clock as materialized (
  select date_trunc('milliseconds', clock_timestamp()) as at
)`
const at = '(select at from clock)'

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

/** Most runs come without these. */
const rareColumns: readonly ColumnName[] = [
  'attachment_refs',
  'sensitivity_tags',
  'streaming',
  'plan',
  'sealed',
  'sealed_key',
]
const isPlain = ({ attachmentRefs, sensitivityTags, streaming, plan }: NewRun): boolean =>
  attachmentRefs === undefined && sensitivityTags === undefined && streaming === undefined && plan === undefined

function creatingAll(name: string, all: readonly ColumnName[]): BatchStatement<NewRun, Date> {
  const ofInputs = inputColumns.filter((column) => all.includes(column))
  return {
    name,
    columns: all.map((column) => columns[column]),
    gathered: counted,
    toRow: ([atMs]) => new Date(Number(atMs)),
    text: `
with ${clock},
new_runs as (
  insert into runs (id, customer_id, workspace_id, subject_id, run_class, state, next_seq, ready_at, request_id,
    idempotency_key, created_at, updated_at, deadline_at)
  select id, customer_id, workspace_id, subject_id, run_class, 'queued', 2, ${at}, request_id,
    idempotency_key, ${at}, ${at}, ${at} + duration_seconds * interval '1 second'
  from ${rowsOf(runColumns, all)} as c(${runColumns.join(', ')})
),
new_inputs as (
  insert into run_inputs (run_id, ${ofInputs.join(', ')}, created_at)
  select *, ${at}
  from ${rowsOf(['id', ...ofInputs], all)}
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', ${at}, 'UTC'), 'run.created', workspace_id, subject_id, count, count
  from ${rowsCounted(all.length)} as c(customer_id, workspace_id, subject_id, count)
)
select (extract(epoch from at) * 1000)::bigint as at_ms
from clock`,
  }
}

const createAny = creatingAll('create-runs', names)
const createPlain = creatingAll(
  'create-plain-runs',
  names.filter((name) => !rareColumns.includes(name)),
)

/**
 * Creates all of the runs, or fails because one of their keys is used already. Knowing that nobody is in the way takes about
 * a sixth off the work: nothing is looked up first, and no row has to wait for another table's verdict.
 */
export const createAllStatement = (runs: readonly NewRun[]): BatchStatement<NewRun, Date> =>
  runs.every(isPlain) ? createPlain : createAny

/** Creates those of the runs whose keys are not used yet, and says which; in the order of their keys whatever was given. */
export const createNewStatement: BatchStatement<NewRun, { index: number; createdAt: Date }> = {
  name: 'create-new-runs',
  columns: Object.values(columns),
  toRow: ([n, atMs]) => ({ index: Number(n) - 1, createdAt: new Date(Number(atMs)) }),
  text: `
with new as materialized (
  select c.*, date_trunc('milliseconds', clock_timestamp()) as at
  from ${rowsOf(names, names)} with ordinality as c(${names.join(', ')}, n)
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
  insert into run_inputs (run_id, ${inputColumns.join(', ')}, created_at)
  select id, ${inputColumns.join(', ')}, at
  from created
),
new_deltas as (
  insert into usage_deltas (customer_id, hour, event_type, workspace_id, subject_id, count, quantity)
  select customer_id, date_trunc('hour', at, 'UTC'), 'run.created', workspace_id, subject_id, count(*), count(*)
  from created
  group by 1, 2, 4, 5
)
select n::integer, (extract(epoch from at) * 1000)::bigint as at_ms
from created`,
}

// A statement of its own: the one above cannot see what made its insert give way.
export const usedKeysStatement = `
select k.n, r.id, r.workspace_id, r.subject_id, r.run_class, (extract(epoch from r.created_at) * 1000)::bigint as at_ms,
  i.body_hash
from unnest($1::integer[], $2::text[], $3::text[]) as k(n, customer_id, idempotency_key)
join runs r on r.customer_id = k.customer_id and r.idempotency_key = k.idempotency_key
join run_inputs i on i.run_id = r.id`
