// Deletes rows of `log_batches` that are no longer needed.
import type { Database } from '../postgres/database.ts'

/** Deletes a limited number of rows, so that it does not hold up the log. Returns how many. */
export async function deleteBatchesOlderThan(database: Database, minutes: number): Promise<number> {
  const rows = await database.query({
    text: `
delete from log_batches
where (customer_id, id) in (
  select customer_id, id
  from log_batches
  where at < clock_timestamp() - $1 * interval '1 minute'
  order by at
  limit 10000
)
returning 1`,
    values: [minutes],
  })
  return rows.length
}
