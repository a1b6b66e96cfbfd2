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
  readonly details: Readonly<Record<string, number | boolean>> | null
}

export interface UsageRecordFilter extends Omit<UsageSelection, 'byWorkspace' | 'bySubject'> {
  readonly range: UsageRange
  /** The last record of the page before. */
  readonly after: UsagePosition | undefined
  readonly limit: number
}

const matching = `
  from usage_records
  where customer_id = $1
    and at >= $2::timestamptz
    and at < $3::timestamptz
    and ($4::text is null or workspace_id = $4)
    and ($5::text is null or subject_id = $5)
    and ($6::text is null or event_type = $6)
    and ($7::timestamptz is null or at <= $7 and (at, run_id, key collate "C") < ($7, $8::uuid, $9::text))`

// The indexes are in the order of time only. So the page's oldest time is found first, by reading both parts of the
// view backwards; then all records from that time on are sorted.
const recordsStatement = `
with newest as (
  select at
  ${matching}
  order by at desc
  limit $10
)
select run_id, key, event_type, quantity, workspace_id, subject_id, details,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at_text
${matching}
  and at >= (select min(at) from newest)
order by at desc, run_id desc, key collate "C" desc
limit $10`

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
  const { customerId, range, workspaceId, subjectId, eventType, after, limit } = filter
  const labels = [workspaceId, subjectId, eventType]
  const rows = await database.query<RecordRow>({
    text: recordsStatement,
    values: [customerId, range.start, range.end, ...labels, after?.at, after?.runId, after?.key, limit],
  })
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
