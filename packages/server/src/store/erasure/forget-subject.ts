// Takes the label of a subject out of the usage of its customer: its usage is added to that without a subject.
import { operator } from '../../domain/actor.ts'
import type { Database } from '../postgres/database.ts'
import { recordAct } from '../requests/record-act.ts'
import { addToRemovedUsage, removedUsageColumns } from '../usage/removed-usage.ts'

// No fold while the label is taken out: it could add totals with the label again.
const lock = 'lock table usage_totals in share row exclusive mode'

const changes = [
  'update usage_deltas set subject_id = null where customer_id = $1 and subject_id = $2',
  `
with labelled as (
  delete from usage_totals
  where customer_id = $1 and level = 'both' and subject_id = $2
  returning *
)
insert into usage_totals as total
  (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity)
select customer_id, grain, level, period, event_type, workspace_id, null, count, quantity
from labelled
on conflict (customer_id, grain, level, subject_id, workspace_id, period, event_type) do update
set count = total.count + excluded.count,
  quantity = total.quantity + excluded.quantity`,
  `
with labelled as (
  delete from removed_usage
  where customer_id = $1 and subject_id = $2
  returning *
)
insert into removed_usage as kept (${removedUsageColumns})
select customer_id, hour, event_type, workspace_id, null, agent, model, input, output, cached, count, quantity
from labelled${addToRemovedUsage}`,
  "delete from budgets where customer_id = $1 and level = 'subject' and label = $2",
]

/** Call it after the runs of the subject are removed: their records have the label, too. */
export async function forgetSubject(database: Database, customerId: string, subjectId: string): Promise<void> {
  await database.transaction(async (client) => {
    await client.query(lock)
    for (const change of changes) await client.query(change, [customerId, subjectId])
    // Without the label.
    await recordAct(client, { customerId, by: operator, action: 'subject.erase' })
  })
}
