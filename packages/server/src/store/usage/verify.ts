// Recomputes a month's usage from its records and reports where totals or runs differ.
import type { Granularity } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { differingTotals, ofMonth } from './differences.ts'
import type { UsageMonth } from './months.ts'

export interface Tally {
  readonly count: number
  readonly quantity: number
}

export interface UsageDifference {
  readonly customerId: string
  /** What differs from the records: a total of this grain, or a run. */
  readonly kept: Granularity | 'run'
  /** The total's period and level, or the run's id. */
  readonly of: string
  readonly eventType: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly recorded: Tally
  readonly found: Tally
}

export interface CheckedMonth {
  readonly records: number
  readonly totals: number
  readonly runs: number
  readonly differences: readonly UsageDifference[]
}

const totalsStatement = `
select grain as kept, to_char(period at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ', level ' || level as of, event_type,
  workspace_id, subject_id, recorded_count, recorded_quantity, found_count, found_quantity
from (${differingTotals}) difference
order by grain, level, period, event_type, workspace_id, subject_id`

// Only tokens: the record of `run.created` is the run itself.
const runsStatement = `
select 'run' as kept, id::text as of, 'tokens.consumed' as event_type, workspace_id, subject_id,
  completions as recorded_count, recorded as recorded_quantity, completions as found_count, tokens as found_quantity
from (
  select r.id, r.workspace_id, r.subject_id, r.tokens, count(u.run_id) as completions,
    coalesce(sum(u.quantity), 0)::bigint as recorded
  from runs r
  left join usage_rows u on u.customer_id = r.customer_id and u.run_id = r.id and u.event_type = 'tokens.consumed'
  where r.${ofMonth('r.created_at')}
  group by r.customer_id, r.id
) run
where recorded <> tokens
order by id`

const sizesStatement = `
select
  (select count(*) from usage_records where ${ofMonth('at')}) as records,
  (select count(*) from usage_totals where ${ofMonth('period')}) as totals,
  (select count(*) from runs where ${ofMonth('created_at')}) as runs`

type DifferenceRow = {
  kept: UsageDifference['kept']
  of: string
  event_type: string
  workspace_id: string | null
  subject_id: string | null
  recorded_count: number
  recorded_quantity: number
  found_count: number
  found_quantity: number
}

export async function verifyMonth(database: Database, month: UsageMonth): Promise<CheckedMonth> {
  const values = [month.customerId, month.start, month.end]
  const [sizes] = await database.query<Omit<CheckedMonth, 'differences'>>({ text: sizesStatement, values })
  const totals = await database.query<DifferenceRow>({ text: totalsStatement, values })
  const runs = await database.query<DifferenceRow>({ text: runsStatement, values })
  const differences = [...totals, ...runs].map((row) => toDifference(month.customerId, row))
  return { records: 0, totals: 0, runs: 0, ...sizes, differences }
}

const toDifference = (customerId: string, row: DifferenceRow): UsageDifference => ({
  customerId,
  kept: row.kept,
  of: row.of,
  eventType: row.event_type,
  workspaceId: row.workspace_id,
  subjectId: row.subject_id,
  recorded: { count: row.recorded_count, quantity: row.recorded_quantity },
  found: { count: row.found_count, quantity: row.found_quantity },
})
