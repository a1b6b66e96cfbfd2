// The API keys of a customer: list, find, rotate, revoke. Every statement names the customer. The writes are
// idempotent: they can be retried after a lost answer.
import type { Scope } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'

/** A key as its owner may see it: everything but the secret. */
export interface KeyRecord {
  readonly id: string
  readonly name: string | null
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

interface KeyRotation {
  readonly id: string
  readonly customerId: string
  readonly secretHash: Buffer
  readonly overlapSeconds: number
}

export const keyColumns = 'id, name, scopes, created_at, expires_at, revoked_at, last_used_at'

export type KeyRow = {
  id: string
  name: string | null
  scopes: Scope[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

export const toKeyRecord = (row: KeyRow): KeyRecord => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

/** How many revoked and expired keys a list shows. There may be any number of them. */
const maxEndedKeys = 1_000

export const isLive = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())'

/** Whether any customer has a key that works. */
export async function hasLiveKey(database: Database): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>({
    text: `
select exists (
  select from api_keys
  where ${isLive}
) as found`,
  })
  return row?.found ?? false
}

/** Newest first: all live keys, and the newest of those that were revoked or have expired. */
export async function listKeys(database: Database, customerId: string): Promise<KeyRecord[]> {
  const rows = await database.query<KeyRow>({
    text: `
select ${keyColumns}
from (
  select *, row_number() over (partition by ${isLive} order by created_at desc, id desc) as place
  from api_keys
  where customer_id = $1
) keys
where place <= $2 or ${isLive}
order by created_at desc, id desc`,
    values: [customerId, maxEndedKeys],
  })
  return rows.map(toKeyRecord)
}

/** A key that can still be rotated: neither revoked nor expired. */
export async function findLiveKey(database: Database, customerId: string, id: string): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRow>({
    text: `
select ${keyColumns}
from api_keys
where id = $1 and customer_id = $2 and ${isLive}`,
    values: [id, customerId],
  })
  return row && toKeyRecord(row)
}

/** Undefined when the customer has no such live key. */
export async function rotateLiveKey(database: Database, rotation: KeyRotation): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRow>({
    text: `
update api_keys
set secret_hash = $3,
  previous_hash = case
    when secret_hash = $3 then previous_hash
    when $4::float8 > 0 then secret_hash
  end,
  previous_valid_until = case
    when secret_hash = $3 then previous_valid_until
    when $4::float8 > 0 then clock_timestamp() + make_interval(secs => $4::float8)
  end
where id = $1 and customer_id = $2 and ${isLive}
returning ${keyColumns}`,
    values: [rotation.id, rotation.customerId, rotation.secretHash, rotation.overlapSeconds],
  })
  return row && toKeyRecord(row)
}

/** Undefined when the customer has no such key. A key that is revoked already keeps its time. */
export async function revokeKeyOnce(
  database: Database,
  customerId: string,
  id: string,
): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRow>({
    text: `
update api_keys
set revoked_at = coalesce(revoked_at, date_trunc('milliseconds', clock_timestamp()))
where id = $1 and customer_id = $2
returning ${keyColumns}`,
    values: [id, customerId],
  })
  return row && toKeyRecord(row)
}
