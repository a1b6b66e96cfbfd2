// Adds deltas to the totals. One statement deletes and adds: a reader finds each delta either here or there.
import type { Database } from '../postgres/database.ts'
import { spreadOverTotals } from './levels.ts'

// Rows that another process is folding are skipped. Totals are written in the order of their keys, so that two folds
// wait for each other instead of deadlocking.
const foldStatement = `
with free as materialized (
  select id
  from usage_deltas
  limit $1
  for update skip locked
),
taken as (
  delete from usage_deltas delta
  using free
  where delta.id = free.id
  returning customer_id, hour, event_type, workspace_id, subject_id, count, quantity
),
totals as (
  insert into usage_totals as total
    (customer_id, grain, level, period, event_type, workspace_id, subject_id, count, quantity)
  ${spreadOverTotals('select * from taken')}
  order by customer_id, grain, level, subject_id, workspace_id, period, event_type
  on conflict (customer_id, grain, level, subject_id, workspace_id, period, event_type) do update
  set count = total.count + excluded.count,
    quantity = total.quantity + excluded.quantity
)
select count(*) as taken
from taken`

/** Returns how many deltas it folded, at most `atMost`. */
export async function foldDeltas(database: Database, atMost: number): Promise<number> {
  // Not retried: the next call folds what is left.
  const [row] = await database.run<{ taken: number }>({ name: 'fold-usage', text: foldStatement, values: [atMost] })
  return row?.taken ?? 0
}

/**
 * Reclaims the space of deleted deltas. Autovacuum runs once a minute: until then every reader would scan a minute's
 * worth of dead rows.
 */
export async function vacuumDeltas(database: Database): Promise<void> {
  await database.run({ text: 'vacuum (skip_locked) usage_deltas' })
}
