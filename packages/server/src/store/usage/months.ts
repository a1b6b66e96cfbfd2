// The months in which a customer has usage. Usage is checked and repaired month by month: the totals of a month, its
// days and its hours depend only on its own records.
import type { Database } from '../postgres/database.ts'
import { isIndexed } from './records.ts'

export interface UsageMonth {
  readonly customerId: string
  readonly start: Date
  readonly end: Date
}

// Each customer's first and last record, found by jumping through the indexes instead of reading all records.
const spans = `
with recursive customer as (
  (select customer_id from usage_records where customer_id > '' order by customer_id limit 1)
  union all
  select (
    select record.customer_id
    from usage_records record
    where record.customer_id > customer.customer_id
    order by record.customer_id
    limit 1
  )
  from customer
  where customer_id is not null
)
select customer_id,
  (select min(at) from usage_records record where record.customer_id = customer.customer_id and ${isIndexed}) as first,
  (select max(at) from usage_records record where record.customer_id = customer.customer_id and ${isIndexed}) as last
from customer
where customer_id is not null`

const monthOf = (time: string): string => `date_trunc('month', ${time} at time zone 'UTC')`

const monthsStatement = `
select customer_id, month at time zone 'UTC' as start, (month + interval '1 month') at time zone 'UTC' as end
from (
  select customer_id, generate_series(${monthOf('first')}, ${monthOf('last')}, interval '1 month')
  from (${spans}) span
  union
  select customer_id, ${monthOf('period')}
  from usage_totals
  union
  select customer_id, ${monthOf('hour')}
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
