// Receipts of the run log's flushes, once they are no longer needed.
import type { Database } from '../postgres/database.ts'

/** Deletes some of what is older, not all at once: this must never hold up the log. */
export async function deleteBatchesOlderThan(database: Database, minutes: number): Promise<number> {
  const rows = await database.query({
    text: `
delete from log_batches
where id in (
  select id
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
