// Upkeep of the deliveries of all customers: gives up what has waited too long, and deletes what ended long ago.
import type { Database } from '../postgres/database.ts'

interface Ages {
  /** After which a delivery is given up that was not sent, because its endpoint keeps failing. */
  readonly pendingHours: number
  readonly deliveredDays: number
  readonly givenUpDays: number
  readonly atMost: number
}

/** Each statement changes a limited number of rows. Returns how many. */
export async function endOldDeliveries(database: Database, { pendingHours, atMost }: Ages): Promise<number> {
  const rows = await database.query({
    text: `
update webhook_deliveries
set next_at = null,
  ended_at = clock_timestamp(),
  error = coalesce(error, 'The endpoint kept failing.')
where (customer_id, webhook_id, run_id, seq, type) in (
  select customer_id, webhook_id, run_id, seq, type
  from webhook_deliveries
  where next_at is not null and queued_at < now() - $1 * interval '1 hour'
  limit $2
)
returning 1`,
    values: [pendingHours, atMost],
  })
  return rows.length
}

export async function deleteOldDeliveries(database: Database, ages: Ages): Promise<number> {
  const rows = await database.query({
    text: `
delete from webhook_deliveries
where (customer_id, webhook_id, run_id, seq, type) in (
  select customer_id, webhook_id, run_id, seq, type
  from webhook_deliveries
  where ended_at < now() - $1 * interval '1 day' and (delivered or ended_at < now() - $2 * interval '1 day')
  limit $3
)
returning 1`,
    values: [ages.deliveredDays, ages.givenUpDays, ages.atMost],
  })
  return rows.length
}
