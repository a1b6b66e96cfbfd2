// Corrects the totals of a month that differ from its records, while the service runs.
import type { Database } from '../postgres/database.ts'
import { differingTotals, ofMonth } from './differences.ts'
import type { UsageMonth } from './months.ts'

// Every record that this snapshot sees is counted; every delta that it sees belongs to such a record and is deleted.
// Records that are written meanwhile are in neither, and are folded later. Folding waits for the lock: a delta of this
// month that was folded in between would be counted twice.
const lock = 'lock table usage_totals in share row exclusive mode'

// Totals that are right are not written. Those without a record become zero first, and are deleted then. In the order
// of the key, so that neighbouring rows of the index are written together.
const changes = [
  `delete from usage_deltas where ${ofMonth('hour')}`,
  `
insert into usage_totals as total
  (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity)
select $1, grain, level, period, event_type, workspace_id, subject_id, recorded_count, recorded_quantity
from (${differingTotals}) difference
order by grain, level, subject_id, workspace_id, period, event_type
on conflict (customer_id, grain, level, subject_id, workspace_id, period, event_type) do update
set count = excluded.count,
  quantity = excluded.quantity`,
  `delete from usage_totals where ${ofMonth('period')} and count = 0`,
]

export async function repairMonth(database: Database, { customerId, start, end }: UsageMonth): Promise<void> {
  await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read')
    await client.query(lock)
    for (const change of changes) await client.query(change, [customerId, start, end])
  })
}
