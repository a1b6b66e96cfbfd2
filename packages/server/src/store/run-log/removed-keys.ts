// The idempotency keys of removed runs.
import { createHash } from 'node:crypto'
import type { Database } from '../postgres/database.ts'

/** Keys may contain names of people, so they are not stored themselves. The id of a customer has no colon. */
export const keyHash = (customerId: string, idempotencyKey: string): Buffer =>
  createHash('sha256').update(`${customerId}:${idempotencyKey}`).digest()

const keptDays = 30

/** Deletes keys whose time is over, a limited number of them. Returns how many. */
export async function forgetRemovedKeys(database: Database): Promise<number> {
  const rows = await database.query({
    text: `
delete from removed_keys
where (customer_id, key_hash) in (
  select customer_id, key_hash
  from removed_keys
  where removed_at < clock_timestamp() - ${keptDays} * interval '1 day'
  order by removed_at
  limit 10000
)
returning 1`,
  })
  return rows.length
}
