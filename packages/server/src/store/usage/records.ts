// Lists usage records, newest first. Every query names the customer.
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Database } from '../postgres/database.ts'
import type { UsageSelection } from './question.ts'

/** Identifies a record and its place in the customer's list. */
export interface UsagePosition {
  /** UTC text to the microsecond. */
  readonly at: string
  readonly runId: string
  readonly key: string
}

export interface UsageRecord extends UsagePosition {
  readonly eventType: string
  readonly quantity: number
  readonly workspaceId: string | null
  readonly subjectId: string | null
  /** What the quantity is made of; null: nothing more is known. */
  readonly details: Readonly<Record<string, number | boolean | string>> | null
}

export interface UsageRecordFilter extends Omit<UsageSelection, 'byWorkspace' | 'bySubject'> {
  readonly range: UsageRange
  /** The last record of the page before. */
  readonly after: UsagePosition | undefined
  readonly limit: number
}

type Bind = (value: unknown) => string

/** True for every record: the condition of the indexes by time. */
export const isIndexed = "at > '-infinity'"

/** Conditions that are not asked for are left out: PostgreSQL then knows which index finds the rest. */
function conditionsOf(filter: UsageRecordFilter, bind: Bind): string[] {
  const { customerId, range, workspaceId, subjectId, eventType, after } = filter
  const conditions = [
    `customer_id = ${bind(customerId)}`,
    isIndexed,
    `at >= ${bind(range.start)}::timestamptz`,
    `at < ${bind(range.end)}::timestamptz`,
  ]
  if (workspaceId !== undefined) conditions.push(`workspace_id = ${bind(workspaceId)}`)
  if (subjectId !== undefined) conditions.push(`subject_id = ${bind(subjectId)}`)
  if (eventType !== undefined) conditions.push(`event_type = ${bind(eventType)}`)
  if (after) {
    const at = `${bind(after.at)}::timestamptz`
    const position = `(${at}, ${bind(after.runId)}::uuid, ${bind(after.key)}::text)`
    conditions.push(`at <= ${at}`, `(at, run_id, key collate "C") < ${position}`)
  }
  return conditions
}

// The indexes are in the order of time: PostgreSQL reads both parts of the view backwards and sorts only the records of
// one time.
const recordsText = (conditions: readonly string[], limit: string): string => `
select run_id, key, event_type, quantity, workspace_id, subject_id, details,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at_text
from usage_records
where ${conditions.join(' and ')}
order by at desc, run_id desc, key collate "C" desc
limit ${limit}`

type RecordRow = {
  run_id: string
  key: string
  event_type: string
  quantity: number
  workspace_id: string | null
  subject_id: string | null
  details: string | null
  at_text: string
}

export async function listUsageRecords(database: Database, filter: UsageRecordFilter): Promise<UsageRecord[]> {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const text = recordsText(conditionsOf(filter, bind), bind(filter.limit))
  const rows = await database.query<RecordRow>({ text, values })
  return rows.map(toRecord)
}

const toRecord = (row: RecordRow): UsageRecord => ({
  at: row.at_text,
  runId: row.run_id,
  key: row.key,
  eventType: row.event_type,
  quantity: row.quantity,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  details: row.details === null ? null : JSON.parse(row.details),
})
