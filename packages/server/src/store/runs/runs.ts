// Reads runs by id. Every query names the customer.
import type { RunClass } from '@runwright/contract'
import type { RunState } from '../../domain/run/states.ts'
import type { Database } from '../postgres/database.ts'
import { rowsOf } from '../postgres/look-up.ts'

export interface RunFields {
  readonly id: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly runClass: RunClass
  readonly state: RunState
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface RunRecord extends RunFields {
  /** Changes with the state, the attempt and the question. */
  readonly phase: string
  /** The result as JSON text; null until the run has succeeded. */
  readonly result: { readonly redacted: boolean; readonly value: string } | null
}

/** A run of a list. Its result and its question stay in the database: only their sizes are read. */
export interface ListedRunRecord extends RunFields {
  readonly result: { readonly redacted: boolean; readonly bytes: number } | null
  /** With the answers so far. 0 if it does not wait. */
  readonly questionBytes: number
  /** How many it has. */
  readonly events: number
}

export const runColumns = `r.id, r.workspace_id, r.subject_id, r.run_class, r.state,
  (extract(epoch from r.created_at) * 1000)::bigint as created_ms,
  (extract(epoch from r.updated_at) * 1000)::bigint as updated_ms,
  o.redacted as result_redacted`

export type RunRow = {
  id: string
  workspace_id: string | null
  subject_id: string | null
  run_class: RunClass
  state: RunState
  created_ms: number
  updated_ms: number
  result_redacted: boolean | null
}

export const fieldsOf = (row: RunRow): RunFields => ({
  id: row.id,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  runClass: row.run_class,
  state: row.state,
  createdAt: new Date(row.created_ms),
  updatedAt: new Date(row.updated_ms),
})

export const resultOf = <Part>(row: RunRow, part: Part) =>
  row.result_redacted === null ? null : { redacted: row.result_redacted, ...part }

export type FoundRunRow = RunRow & { phase: string; result_value: string }

const phaseColumn = `concat_ws(' ', r.state, r.attempt, r.await_seq) as phase`

export const foundColumns = `${runColumns}, ${phaseColumn}, o.value as result_value`

/** The run with the id `$1` of the customer `$2`. */
export const foundRun = `from runs r
left join run_results o on o.customer_id = r.customer_id and o.run_id = r.id
where r.customer_id = $2 and r.id = $1`

export const runOf = (row: FoundRunRow): RunRecord => ({
  ...fieldsOf(row),
  phase: row.phase,
  result: resultOf(row, { value: row.result_value }),
})

export async function findRun(database: Database, customerId: string, id: string): Promise<RunRecord | undefined> {
  const [row] = await database.query<FoundRunRow>({
    name: 'find-run',
    text: `
select ${foundColumns}
${foundRun}`,
    values: [id, customerId],
  })
  return row && runOf(row)
}

/** Undefined if the run is not there any more. */
export async function findPhase(database: Database, customerId: string, id: string): Promise<string | undefined> {
  const [row] = await database.query<{ phase: string }>({
    name: 'find-phase',
    text: `
select ${phaseColumn}
from runs r
where r.customer_id = $2 and r.id = $1`,
    values: [id, customerId],
  })
  return row?.phase
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
from ${rowsOf('run_results', 'run_id')}`,
    values: [customerId, ids],
  })
  return new Map(rows.map(({ run_id, value }) => [run_id, value]))
}
