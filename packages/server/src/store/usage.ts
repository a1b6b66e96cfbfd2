// Reads usage: one row per period, event type and the labels asked for. Every query names the customer.
import type { Granularity } from '@runwright/contract'
import type { UsageRange } from '../domain/usage-range.ts'
import type { Database } from './database.ts'

export interface UsageFilter {
  readonly customerId: string
  readonly range: UsageRange
  readonly granularity: Granularity
  readonly workspaceId: string | undefined
  readonly subjectId: string | undefined
  readonly eventType: string | undefined
  /** Split by these; a label that is filtered by is told in any case. */
  readonly byWorkspace: boolean
  readonly bySubject: boolean
}

export interface UsageTotal {
  readonly period: string
  readonly eventType: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly count: number
  readonly quantity: number
}

type UsageTotalRow = {
  period: string
  event_type: string
  workspace_id: string | null
  subject_id: string | null
  count: number
  quantity: number
}

/** The database's clock, UTC text to the microsecond. */
export async function readNow(database: Database): Promise<string> {
  const [row] = await database.query<{ now: string }>({
    name: 'read-now',
    text: `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  })
  if (!row) throw new Error('the database did not tell its time')
  return row.now
}

const labelFormats: Readonly<Record<Granularity, string>> = {
  hour: 'YYYY-MM-DD"T"HH24:MI:SS"Z"',
  day: 'YYYY-MM-DD',
  month: 'YYYY-MM',
}

// "at time zone 'UTC'" takes the session's zone out of the buckets, "C" the database's locale out of the order.
const textOf = (filter: UsageFilter) => `
select
  to_char(bucket, '${labelFormats[filter.granularity]}') as period,
  event_type,
  workspace_id,
  subject_id,
  count(*) as count,
  sum(quantity)::bigint as quantity
from (
  select
    date_trunc('${filter.granularity}', at at time zone 'UTC') as bucket,
    event_type,
    ${filter.byWorkspace || filter.workspaceId !== undefined ? 'workspace_id' : 'null::text as workspace_id'},
    ${filter.bySubject || filter.subjectId !== undefined ? 'subject_id' : 'null::text as subject_id'},
    quantity
  from usage_records
  where customer_id = $1
    and at >= $2::timestamptz
    and at < $3::timestamptz
    and ($4::text is null or workspace_id = $4)
    and ($5::text is null or subject_id = $5)
    and ($6::text is null or event_type = $6)
) record
group by bucket, event_type, workspace_id, subject_id
order by
  bucket,
  event_type collate "C",
  workspace_id collate "C" nulls first,
  subject_id collate "C" nulls first`

const toTotal = (row: UsageTotalRow): UsageTotal => ({
  period: row.period,
  eventType: row.event_type,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  count: row.count,
  quantity: row.quantity,
})

export async function readUsage(database: Database, filter: UsageFilter): Promise<UsageTotal[]> {
  const { customerId, range, workspaceId, subjectId, eventType } = filter
  const rows = await database.query<UsageTotalRow>({
    text: textOf(filter),
    values: [customerId, range.start, range.end, workspaceId, subjectId, eventType],
  })
  return rows.map(toTotal)
}
