// Reads runs: one, or a page of them. Every query names the customer.
import type { RunClass } from '@runwright/contract'
import type { RunState } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'

interface RunFields {
  readonly id: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly state: RunState
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface RunRecord extends RunFields {
  /** The result as JSON text; null until the run has succeeded. */
  readonly result: { readonly redacted: boolean; readonly value: string } | null
}

/** A run of a list. Its result stays in the database: only its size is read. */
export interface ListedRunRecord extends RunFields {
  readonly result: { readonly redacted: boolean; readonly bytes: number } | null
}

export interface RunFilter {
  readonly states: readonly RunState[] | undefined
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly runClass: RunClass | undefined
  readonly createdAfter: string | undefined
  readonly createdBefore: string | undefined
  /** Only runs older than this one. */
  readonly before: RunPosition | undefined
  readonly limit: number
}

export interface RunPosition {
  readonly createdAtMs: number
  readonly id: string
}

const columns = `r.id, r.workspace_id, r.subject_id, r.run_class, r.state,
  (extract(epoch from r.created_at) * 1000)::bigint as created_ms,
  (extract(epoch from r.updated_at) * 1000)::bigint as updated_ms,
  o.redacted as result_redacted`

type RunRow = {
  id: string
  workspace_id: string | null
  subject_id: string | null
  run_class: RunClass
  state: RunState
  created_ms: number
  updated_ms: number
  result_redacted: boolean | null
}

const fieldsOf = (row: RunRow): RunFields => ({
  id: row.id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  state: row.state,
  createdAt: new Date(row.created_ms),
  updatedAt: new Date(row.updated_ms),
})

const resultOf = <Part>(row: RunRow, part: Part) =>
  row.result_redacted === null ? null : { redacted: row.result_redacted, ...part }

export async function findRun(database: Database, customerId: string, id: string): Promise<RunRecord | undefined> {
  const [row] = await database.query<RunRow & { result_value: string }>({
    name: 'find-run',
    text: `
select ${columns}, o.value as result_value
from runs r
left join run_results o on o.customer_id = r.customer_id and o.run_id = r.id
where r.customer_id = $2 and r.id = $1`,
    values: [id, customerId],
  })
  return row && { ...fieldsOf(row), result: resultOf(row, { value: row.result_value }) }
}

export async function runExists(database: Database, customerId: string, id: string): Promise<boolean> {
  const rows = await database.query({
    name: 'run-exists',
    text: 'select 1 from runs where customer_id = $2 and id = $1',
    values: [id, customerId],
  })
  return rows.length > 0
}

// The states are literals, not a parameter: only then can the planner prove that the partial index applies.
const inStates = (states: readonly RunState[]) => `r.state in (${states.map((state) => `'${state}'`).join(', ')})`

export async function listRuns(database: Database, customerId: string, filter: RunFilter): Promise<ListedRunRecord[]> {
  const values: unknown[] = [customerId]
  const bind = (value: unknown) => `$${values.push(value)}`
  // The second condition is true for every run: it is that of the index `runs_newest`.
  const conditions = ['r.customer_id = $1', "r.created_at > '-infinity'"]
  if (filter.states) conditions.push(inStates(filter.states))
  if (filter.workspaceId !== undefined) conditions.push(`r.workspace_id = ${bind(filter.workspaceId)}`)
  if (filter.subjectId !== undefined) conditions.push(`r.subject_id = ${bind(filter.subjectId)}`)
  if (filter.runClass !== undefined) conditions.push(`r.run_class = ${bind(filter.runClass)}`)
  if (filter.createdAfter !== undefined) conditions.push(`r.created_at >= ${bind(filter.createdAfter)}::timestamptz`)
  if (filter.createdBefore !== undefined) conditions.push(`r.created_at < ${bind(filter.createdBefore)}::timestamptz`)
  if (filter.before) {
    const { createdAtMs, id } = filter.before
    conditions.push(`(r.created_at, r.id) < (to_timestamp(${bind(createdAtMs)}::numeric / 1000), ${bind(id)}::uuid)`)
  }
  const rows = await database.query<RunRow & { result_bytes: number }>({
    text: `
select ${columns}, o.size as result_bytes
from runs r
left join run_results o on o.customer_id = r.customer_id and o.run_id = r.id
where ${conditions.join(' and ')}
order by r.created_at desc, r.id desc
limit ${bind(filter.limit)}`,
    values,
  })
  return rows.map((row) => ({ ...fieldsOf(row), result: resultOf(row, { bytes: row.result_bytes }) }))
}

/** The results of these runs as JSON text, by run id. */
export async function findResults(
  database: Database,
  customerId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await database.query<{ run_id: string; value: string }>({
    name: 'find-results',
    text: `
select run_id, value
from run_results
where customer_id = $1 and run_id = any($2::uuid[])`,
    values: [customerId, ids],
  })
  return new Map(rows.map(({ run_id, value }) => [run_id, value]))
}
