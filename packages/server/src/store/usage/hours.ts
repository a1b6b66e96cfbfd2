// Deletes totals per hour of the past. Queries read those hours from the records.
import type { Database } from '../postgres/database.ts'

/** The customers that have totals per hour from before the time, at most so many, each with the first such hour. */
const expiredStatement = `
select c.id as customer_id, date_trunc('day', total.period, 'UTC') + interval '1 day' as until
from customers c
cross join lateral (
  select period
  from usage_totals
  where customer_id = c.id and grain = 'hour' and level = 'customer' and period < $1
  order by period
  limit 1
) total
limit $2`

// In one statement: a reader finds the totals, or the time from which on they are kept.
const deleteStatement = `
with expired as (
  delete from usage_totals
  where customer_id = $1 and grain = 'hour' and period < $2
)
insert into usage_hours as kept (customer_id, since)
values ($1, $2)
on conflict (customer_id) do update set since = greatest(kept.since, excluded.since)`

/** Deletes a day's totals of each of some customers; returns of how many. */
export async function expireHours(database: Database, before: Date, atMost: number): Promise<number> {
  const expired = await database.run<{ customer_id: string; until: Date }>({
    text: expiredStatement,
    values: [before, atMost],
  })
  for (const { customer_id, until } of expired) {
    await database.run({ text: deleteStatement, values: [customer_id, until < before ? until : before] })
  }
  return expired.length
}

/** From when on a customer has totals per hour: UTC text to the microsecond. Undefined: from the beginning. */
export async function readHoursSince(database: Database, customerId: string): Promise<string | undefined> {
  const [row] = await database.query<{ since: string }>({
    name: 'read-hours-since',
    text: `
select to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since
from usage_hours
where customer_id = $1`,
    values: [customerId],
  })
  return row?.since
}
