// Lists the records that usage is made of, newest first. Every query names the customer.
import type { UsageRange } from '../../domain/usage/range.ts'
import type { Database } from '../postgres/database.ts'
import type { UsageSelection } from './question.ts'

/** Names a record, and its place among others of the customer. */
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
}

export interface UsageRecordFilter extends Omit<UsageSelection, 'byWorkspace' | 'bySubject'> {
  readonly range: UsageRange
  /** The last record of the page before. */
  readonly after: UsagePosition | undefined
  readonly limit: number
}

interface Source {
  readonly from: string
  readonly runId: string
  readonly key: string
  readonly eventType: string
  readonly quantity: string
  readonly at: string
}

/** A page of one of the places where records stand. The plain bound on the time is what leads the index to it. */
const pageOf = ({ from, runId, key, eventType, quantity, at }: Source): string => `
  (select ${runId} as run_id, ${key} as key, ${eventType} as event_type, ${quantity} as quantity, workspace_id, subject_id, ${at} as at
  from ${from}
  where customer_id = $1
    and ${at} >= $2::timestamptz
    and ${at} < $3::timestamptz
    and ($4::text is null or workspace_id = $4)
    and ($5::text is null or subject_id = $5)
    and ($6::text is null or ${eventType} = $6)
    and ($7::timestamptz is null or ${at} <= $7 and (${at}, ${runId}, ${key} collate "C") < ($7, $8::uuid, $9::text))
  order by ${at} desc, ${runId} desc, ${key} collate "C" desc
  limit $10)`

const created = `'run.created'::text`

const recordsStatement = `
select run_id, key, event_type, quantity, workspace_id, subject_id,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at_text
from (${pageOf({ from: 'usage_rows', runId: 'run_id', key: 'key', eventType: 'event_type', quantity: 'quantity', at: 'at' })}
  union all${pageOf({ from: 'runs', runId: 'id', key: created, eventType: created, quantity: '1', at: 'created_at' })}
) record
order by at desc, run_id desc, key collate "C" desc
limit $10`

type RecordRow = {
  run_id: string
  key: string
  event_type: string
  quantity: number
  workspace_id: string | null
  subject_id: string | null
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
})
