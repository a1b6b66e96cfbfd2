// Ends all access of a customer: suspends it, revokes its keys and ends its sessions of the console.
import type { Database } from '../postgres/database.ts'

/** One statement, and repeatable. Processes that have cached a key refuse it within 5 seconds. */
export async function closeCustomer(database: Database, customerId: string): Promise<void> {
  await database.query({
    text: `
with suspended as (
  update customers
  set suspended_at = coalesce(suspended_at, date_trunc('milliseconds', clock_timestamp()))
  where id = $1
),
revoked as (
  update api_keys
  set revoked_at = coalesce(revoked_at, date_trunc('milliseconds', clock_timestamp())),
    updated_at = case when revoked_at is null then date_trunc('milliseconds', clock_timestamp()) else updated_at end
  where customer_id = $1
)
delete from console_sessions
where customer_id = $1`,
    values: [customerId],
  })
}
