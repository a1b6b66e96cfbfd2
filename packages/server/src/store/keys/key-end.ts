// Reads when a key ends, by the clock of the database.
import type { Database } from '../postgres/database.ts'

interface KeyEnd {
  /** Null: never. */
  readonly at: Date | null
  readonly isPast: boolean
  readonly isRevoked: boolean
}

interface KeyQuestion {
  readonly customerId: string
  readonly keyId: string
  /** The secret before the last rotation ends with its overlap, even if the key does not. */
  readonly ofOldSecret: boolean
}

export async function findKeyEnd(
  database: Database,
  { customerId, keyId, ofOldSecret }: KeyQuestion,
): Promise<KeyEnd | undefined> {
  const [row] = await database.query<{ ends_at: Date | null; is_past: boolean; is_revoked: boolean }>({
    text: `
select ends_at, coalesce(ends_at <= clock_timestamp(), false) as is_past, is_revoked
from (
  select revoked_at is not null as is_revoked,
    least(expires_at, case when $3::boolean then coalesce(previous_valid_until, '-infinity') end) as ends_at
  from api_keys
  where id = $1 and customer_id = $2
) key`,
    values: [keyId, customerId, ofOldSecret],
  })
  return row && { at: row.ends_at, isPast: row.is_past, isRevoked: row.is_revoked }
}
