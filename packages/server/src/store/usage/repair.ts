// Makes a month's totals anew from its records, while runs go on.
import type { Database } from '../postgres/database.ts'
import { fillTotals } from './fold.ts'
import { daysOfMonth } from './hours.ts'
import { recordsByHour } from './levels.ts'
import type { UsageMonth } from './months.ts'

// Every record that this snapshot sees is counted, and every delta that it sees stands for such a record and goes. What
// is recorded meanwhile is neither, and is folded later. Folding waits: a delta of this month that it took in between
// would be counted twice.
const steps = [
  'lock table usage_totals in share row exclusive mode',
  'delete from usage_deltas where customer_id = $1 and hour >= $2 and hour < $3',
  'delete from usage_totals where customer_id = $1 and period >= $2 and period < $3',
  `delete from usage_hours where ${daysOfMonth}`,
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
