// The months in which a customer has used anything: usage is checked and repaired month by month, since a month's hours,
// days and the month itself are made of its own records alone.
import type { Database } from '../postgres/database.ts'

export interface UsageMonth {
  readonly customerId: string
  readonly start: Date
  readonly end: Date
}

/** Each customer's first and last time in a table, found by jumping through an index on (customer_id, time). */
const spans = (table: string, time: string): string => `
with recursive customer as (
  (select customer_id from ${table} order by customer_id limit 1)
  union all
  select (select customer_id from ${table} where customer_id > customer.customer_id order by customer_id limit 1)
  from customer
  where customer_id is not null
)
select customer_id, (select min(${time}) from ${table} one where one.customer_id = customer.customer_id) as first,
  (select max(${time}) from ${table} one where one.customer_id = customer.customer_id) as last
from customer
where customer_id is not null`

const monthOf = (time: string): string => `date_trunc('month', ${time} at time zone 'UTC')`

const monthsOfSpan = (table: string, time: string): string => `
select customer_id collate "C", generate_series(${monthOf('first')}, ${monthOf('last')}, interval '1 month')
from (${spans(table, time)}) span`

const monthsStatement = `
select customer_id, month at time zone 'UTC' as start, (month + interval '1 month') at time zone 'UTC' as end
from (${monthsOfSpan('usage_rows', 'at')}
union ${monthsOfSpan('runs', 'created_at')}
union
select customer_id, ${monthOf('period')}
from usage_totals
union
select customer_id, date_trunc('month', day::timestamp)
from usage_hours
union
select customer_id collate "C", ${monthOf('hour')}
from usage_deltas
) as used (customer_id, month)
where $1::text is null or customer_id = $1
order by 1, 2`

type MonthRow = { customer_id: string; start: Date; end: Date }

/** Of one customer, or of all. */
export async function listUsageMonths(database: Database, customerId?: string): Promise<UsageMonth[]> {
  const rows = await database.query<MonthRow>({ text: monthsStatement, values: [customerId] })
  return rows.map(({ customer_id, start, end }) => ({ customerId: customer_id, start, end }))
}
