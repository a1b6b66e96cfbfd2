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
  /** An old secret ends with its overlap, even if the key does not. Undefined: the current one. */
  readonly oldSecretHash: Buffer | undefined
}

export async function findKeyEnd(
  database: Database,
  { customerId, keyId, oldSecretHash }: KeyQuestion,
): Promise<KeyEnd | undefined> {
  const [row] = await database.query<{ ends_at: Date | null; is_past: boolean; is_revoked: boolean }>({
    text: `
select ends_at, coalesce(ends_at <= clock_timestamp(), false) as is_past, is_revoked
from (
  select revoked_at is not null as is_revoked,
    least(expires_at, case when $3::bytea is not null then coalesce(
      old_until[array_position(old_hashes, $3)], '-infinity'
    ) end) as ends_at
  from api_keys
  where id = $1 and customer_id = $2
) key`,
    values: [keyId, customerId, oldSecretHash],
  })
  return row && { at: row.ends_at, isPast: row.is_past, isRevoked: row.is_revoked }
}

export async function findDatabaseTime(database: Database): Promise<Date> {
  const [row] = await database.query<{ now: Date }>({ text: 'select clock_timestamp() as now', values: [] })
  if (!row) throw new Error('the database does not tell the time')
  return row.now
}
