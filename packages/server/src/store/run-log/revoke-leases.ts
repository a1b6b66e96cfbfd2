// Takes the runs of a customer from their workers: what these write from then on is refused, as after a lost lease.
import type { Database } from '../postgres/database.ts'

/**
 * Returns how many there were. The runs stay as they are, and are ready for a worker of the cell that the customer
 * gets.
 */
export async function takeBackRuns(database: Database, customerId: string): Promise<number> {
  const rows = await database.query({
    text: `
update runs
set epoch = epoch + 1, worker_id = null, lease_until = null, step_until = null, ready_at = clock_timestamp()
where customer_id = $1 and worker_id is not null
returning id`,
    values: [customerId],
  })
  return rows.length
}
