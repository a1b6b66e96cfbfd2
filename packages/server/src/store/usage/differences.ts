// The totals of a customer's month that differ from its records, and the rows that must be stored instead.
import { recordsByHour, spreadOverTotals } from './levels.ts'

/** Takes `$1` to `$3`: customer, start and end. The condition on infinity is that of the index `runs_newest`. */
export const ofMonth = (time: string): string =>
  `customer_id = $1 and ${time} >= $2 and ${time} < $3 and ${time} > '-infinity'`

const deltasOfMonth = `
select customer_id, hour, event_type, workspace_id, subject_id, count, quantity
from usage_deltas
where ${ofMonth('hour')}`

// Hours that no longer have totals are left out. One statement, so one snapshot: it is correct while runs continue and
// deltas are folded. All totals of the month are grouped at once: the number of statements does not depend on the
// number of records.
export const differingTotals = `
select grain, level, period, event_type, workspace_id, subject_id,
  coalesce(sum(count) filter (where recorded), 0)::bigint as recorded_count,
  coalesce(sum(quantity) filter (where recorded), 0)::bigint as recorded_quantity,
  coalesce(sum(count) filter (where not recorded), 0)::bigint as found_count,
  coalesce(sum(quantity) filter (where not recorded), 0)::bigint as found_quantity
from (
  select *, true as recorded
  from (${spreadOverTotals(recordsByHour(ofMonth('at')))}) record
  union all
  select customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity, false
  from usage_totals
  where ${ofMonth('period')}
  union all
  select *, false
  from (${spreadOverTotals(deltasOfMonth)}) delta
) side
where grain <> 'hour' or period >= (select coalesce(max(since), '-infinity') from usage_hours where customer_id = $1)
group by grain, level, period, event_type, workspace_id, subject_id
having sum(case when recorded then count else -count end) <> 0
  or sum(case when recorded then quantity else -quantity end) <> 0`
