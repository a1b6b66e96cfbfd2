// Rebuilds a month's totals from its records while the service runs.
import type { Database } from '../postgres/database.ts'
import { fillTotals } from './fold.ts'
import { recordsByHour } from './levels.ts'
import type { UsageMonth } from './months.ts'

// Every record that this snapshot sees is counted; every delta that it sees belongs to such a record and is deleted.
// Records that are written meanwhile are in neither, and are folded later. Folding waits for the lock: a delta of this
// month that was folded in between would be counted twice.
const steps = [
  'lock table usage_totals in share row exclusive mode',
  'delete from usage_deltas where customer_id = $1 and hour >= $2 and hour < $3',
  'delete from usage_totals where customer_id = $1 and period >= $2 and period < $3',
  fillTotals(recordsByHour('customer_id = $1 and at >= $2 and at < $3')),
] as const

export async function repairMonth(database: Database, { customerId, start, end }: UsageMonth): Promise<void> {
  const [lock, ...changes] = steps
  await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read')
    await client.query(lock)
    for (const change of changes) await client.query(change, [customerId, start, end])
  })
}
