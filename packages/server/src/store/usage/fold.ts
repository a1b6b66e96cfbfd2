// Takes deltas into the totals. What is taken and what is added are one statement: a reader finds each either here or there.
import type { Database } from '../postgres/database.ts'
import { cellsOf, isPacked, packedHours } from './hours.ts'
import { spreadOverTotals } from './levels.ts'

const insertTotals = `
  insert into usage_totals as total
    (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity)
  select *
  from spread
  where not (${isPacked})`

const insertHours = `
  insert into usage_hours as total (customer_id, level, workspace_id, day, counts, quantities)
  ${packedHours(`(select * from spread where ${isPacked}) packed`)}`

// In the order of the keys, so that two who fold wait for each other instead of deadlocking.
const addToTotals = `${insertTotals}
  order by customer_id, grain, level, subject_id, workspace_id, period, event_type
  on conflict (customer_id, grain, level, subject_id, workspace_id, period, event_type) do update
  set count = total.count + excluded.count,
    quantity = total.quantity + excluded.quantity`

const sumOf = (column: string): string => `(
      select array_to_json(array_agg(coalesce(ours, 0) + coalesce(theirs, 0) order by place))
      from ${cellsOf(`total.${column}`, `excluded.${column}`)} as cell (ours, theirs, place)
    )`

const addToHours = `${insertHours}
  on conflict (customer_id, level, workspace_id, day) do update
  set counts = ${sumOf('counts')},
    quantities = ${sumOf('quantities')}`

/** Puts usage per hour and both labels into the totals, where none of it may be yet. */
export const fillTotals = (source: string): string => `
with spread as materialized (${spreadOverTotals(source)}
),
totals as (${insertTotals}
)
${insertHours}`

// Deltas are never changed, so that a ctid names the same row until it is deleted; rows that another process is folding
// are left to it.
const foldStatement = `
with taken as (
  delete from usage_deltas
  where ctid = any (array(
    select ctid
    from usage_deltas
    limit $1
    for update skip locked
  ))
  returning customer_id, hour, event_type, workspace_id, subject_id, count, quantity
),
spread as materialized (${spreadOverTotals('select * from taken')}
),
totals as (${addToTotals}
),
hours as (${addToHours}
)
select count(*) as taken
from taken`

/** How many deltas it took, at most as many as asked for. */
export async function foldDeltas(database: Database, atMost: number): Promise<number> {
  // Once: whether it was committed or not, what is left is folded next time.
  const [row] = await database.run<{ taken: number }>({ name: 'fold-usage', text: foldStatement, values: [atMost] })
  return row?.taken ?? 0
}

/**
 * Gives back the space of deltas that are gone. Left to autovacuum, which comes by once a minute, every reader would
 * walk over a minute's worth of them.
 */
export async function vacuumDeltas(database: Database): Promise<void> {
  await database.run({ text: 'vacuum (skip_locked) usage_deltas' })
}
