// The hours of a day in one row: how the customer's and the workspaces' usage per hour is laid out, packed and unpacked.
import type { UsageEventType } from '@runwright/contract'

/** As they stand in every row: a new one may only be added at the end. */
export const packedTypes: readonly UsageEventType[] = [
  'run.created',
  'task.completed',
  'tool.invoked',
  'tokens.consumed',
]

export const hoursOfDay = 24
export const placesOfDay = packedTypes.length * hoursOfDay

const typesInSql = `array[${packedTypes.map((type) => `'${type}'`).join(', ')}]`

/** Rows of the totals that are kept as a place in a day's row instead. */
export const isPacked = "grain = 'hour' and level in ('customer', 'workspace')"

/** Where the number of an hour and event type stands, counted from 0. */
export const placeOf = (hour: string, eventType: string): string => `
  (extract(hour from ${hour} at time zone 'UTC')::integer
    + ${hoursOfDay} * (array_position(${typesInSql}, ${eventType}::text) - 1))`

/** The numbers of two columns side by side, and their place, counted from 1. */
export const cellsOf = (one: string, other: string): string => `(
  select one::bigint, other::bigint, place
  from rows from (json_array_elements_text(${one}), json_array_elements_text(${other})) with ordinality
    as numbers (one, other, place)
)`

/** From rows of usage per hour to rows per day, in the order of their key. */
export const packedHours = (source: string): string => `
select customer_id, level, workspace_id, day,
  array_to_json(array_agg(count order by place)) as counts,
  array_to_json(array_agg(quantity order by place)) as quantities
from (
  select customer_id, level, workspace_id, day, place, sum(count)::bigint as count, sum(quantity)::bigint as quantity
  from (
    select customer_id, level, workspace_id, (period at time zone 'UTC')::date, ${placeOf('period', 'event_type')}, count, quantity
    from ${source}
    union all
    select customer_id, level, workspace_id, day, place, 0, 0
    from (select distinct customer_id, level, workspace_id, (period at time zone 'UTC')::date from ${source})
      as days (customer_id, level, workspace_id, day)
    cross join generate_series(0, ${placesOfDay - 1}) as place
  ) as cells (customer_id, level, workspace_id, day, place, count, quantity)
  group by 1, 2, 3, 4, 5
) cell
group by 1, 2, 3, 4
order by 1, 2, 3, 4`

/** From rows per day, those under a condition, to rows of usage per hour. */
export const unpackedHours = (condition: string): string => `
select customer_id, level,
  (day + (place - 1) % ${hoursOfDay} * interval '1 hour') at time zone 'UTC' as period,
  (${typesInSql})[1 + (place - 1) / ${hoursOfDay}] as event_type,
  workspace_id, count, quantity
from usage_hours
cross join lateral ${cellsOf('counts', 'quantities')} as cell (count, quantity, place)
where (count <> 0 or quantity <> 0) and ${condition}`

/** The days of a month whose start and end are the values $2 and $3 of a statement, and the customer's id is $1. */
export const daysOfMonth = `
customer_id = $1 and day >= ($2::timestamptz at time zone 'UTC')::date and day < ($3::timestamptz at time zone 'UTC')::date`
