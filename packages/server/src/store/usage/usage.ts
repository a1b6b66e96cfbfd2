// Reads usage: one row per period, event type and the labels asked for. Every query names the customer.
import type { Database } from '../postgres/database.ts'
import { readUsageByHour } from './by-hour.ts'
import { readUsageBySum } from './by-sum.ts'
import type { UsageQuestion, UsageTotal } from './question.ts'

/** The database's clock, UTC text to the microsecond. */
export async function readNow(database: Database): Promise<string> {
  const [row] = await database.query<{ now: string }>({
    name: 'read-now',
    text: `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  })
  if (!row) throw new Error('the database did not tell its time')
  return row.now
}

/** At most `maxRows` rows, in order. */
export async function readUsage(database: Database, question: UsageQuestion): Promise<UsageTotal[]> {
  if (question.range.start === question.range.end) return []
  return (await readUsageByHour(database, question)) ?? (await readUsageBySum(database, question))
}
