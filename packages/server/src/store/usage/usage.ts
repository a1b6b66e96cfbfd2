// Reads usage: one row per period, event type and requested labels. Every query names the customer.
import type { Granularity } from '@runwright/contract'
import { usageParts } from '../../domain/usage/parts.ts'
import type { Database, Statement } from '../postgres/database.ts'
import { readHoursSince } from './hours.ts'
import type { UsageQuestion, UsageTotal } from './question.ts'
import { UsageTerms } from './terms.ts'

/** The database's clock: UTC text to the microsecond. */
export async function readNow(database: Database): Promise<string> {
  const [row] = await database.query<{ now: string }>({
    name: 'read-now',
    text: `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  })
  if (!row) throw new Error('the database did not return its time')
  return row.now
}

type UsageTotalRow = {
  period: string
  event_type: string
  workspace_id: string | null
  subject_id: string | null
  count: number
  quantity: number
  bytes: number
}

/** The rows in order; undefined when they exceed `maxRows` or `maxBytes`. */
export async function readUsage(database: Database, question: UsageQuestion): Promise<UsageTotal[] | undefined> {
  const { range, maxRows, maxBytes } = question
  if (range.start === range.end) return []
  const rows = await readRows(database, question)
  const isTooLarge = rows.length > maxRows || (rows.at(-1)?.bytes ?? 0) > maxBytes
  return isTooLarge ? undefined : rows.map(toTotal)
}

/** Hours may expire before the statement: then the rows of the answer lack them, and it is read again. */
async function readRows(database: Database, question: UsageQuestion): Promise<UsageTotalRow[]> {
  for (;;) {
    const since = await readHoursSince(database, question.customerId)
    const rows = await database.query<UsageTotalRow>(statementFor(question, since))
    if (since === (await readHoursSince(database, question.customerId))) return rows
  }
}

const toTotal = (row: UsageTotalRow): UsageTotal => ({
  period: row.period,
  eventType: row.event_type,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  count: row.count,
  quantity: row.quantity,
})

const labelFormats: Readonly<Record<Granularity, string>> = {
  hour: 'YYYY-MM-DD"T"HH24:MI:SS"Z"',
  day: 'YYYY-MM-DD',
  month: 'YYYY-MM',
}

const inOrder = 'bucket, event_type, workspace_id nulls first, subject_id nulls first'

/** About what a row takes as JSON. The row that exceeds the limit is still read: it tells that there is one. */
const rowBytes = `120
        + coalesce(octet_length(workspace_id), 0)
        + coalesce(octet_length(subject_id), 0) as row_bytes`

// One statement, so one snapshot: a delta that is being folded is seen as a delta or in the totals, never in both.
// "at time zone 'UTC'" makes the buckets independent of the session's zone, "C" the order of the database's locale.
function statementFor(question: UsageQuestion, hoursSince: string | undefined): Statement {
  const { granularity, range, now, maxRows, maxBytes } = question
  const { periods, covered, cuts } = usageParts(range, granularity, { now, hoursSince })
  const terms = new UsageTerms(question)
  const parts = [
    ...periods.map((stretch) => terms.totals(stretch)),
    ...covered.map((stretch) => terms.deltas(stretch)),
    ...cuts.map((cut) => terms.records(cut)),
  ]
  return terms.statement(`
select *
from (
  select *, sum(row_bytes) over (order by ${inOrder}) as bytes
  from (
    select
      bucket,
      to_char(bucket, '${labelFormats[granularity]}') as period,
      event_type,
      workspace_id,
      subject_id,
      sum(count)::bigint as count,
      sum(quantity)::bigint as quantity,
      ${rowBytes}
    from (
      select
        date_trunc('${granularity}', at at time zone 'UTC') as bucket,
        event_type collate "C" as event_type,
        ${terms.told.workspace ? 'workspace_id collate "C"' : 'null::text'} as workspace_id,
        ${terms.told.subject ? 'subject_id collate "C"' : 'null::text'} as subject_id,
        count,
        quantity
      from (${parts.join('\n    union all')}
      ) as part (at, event_type, workspace_id, subject_id, count, quantity)
    ) usage
    group by bucket, event_type, workspace_id, subject_id
    having sum(count) > 0
    order by ${inOrder}
    limit ${terms.value(maxRows + 1)}
  ) rows_in_order
) page
where bytes - row_bytes <= ${terms.value(maxBytes)}
order by ${inOrder}`)
}
