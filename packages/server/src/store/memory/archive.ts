// Marks superseded memory items of all customers as archived.
import type { Database } from '../postgres/database.ts'

const batchSize = 1_000

/** Archives some of the items that were superseded more than `days` ago; returns how many. */
export async function archiveSuperseded(database: Database, days: number): Promise<number> {
  const rows = await database.query({
    text: `
update memory_items
set status = 'archived',
  updated_at = date_trunc('milliseconds', clock_timestamp())
where (customer_id, id) in (
  select customer_id, id
  from memory_items
  where status = 'superseded' and updated_at < clock_timestamp() - $1 * interval '1 day'
  order by updated_at
  limit ${batchSize}
  for update skip locked
)
returning 1`,
    values: [days],
  })
  return rows.length
}
