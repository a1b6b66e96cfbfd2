// The API keys of a customer: insert, list, find, rotate, revoke. Every statement names the customer. The writes are
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

export interface NewKey {
  readonly id: string
  readonly customerId: string
  readonly name: string | null
  readonly scopes: readonly Scope[]
  readonly secretHash: Buffer
  readonly expiresAt: Date | null
}

interface KeyRotation {
  readonly id: string
  readonly customerId: string
  readonly secretHash: Buffer
  readonly overlapSeconds: number
}

const columns = 'id, name, scopes, created_at, expires_at, revoked_at, last_used_at'

type KeyRow = {
  id: string
  name: string | null
  scopes: Scope[]
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

const toRecord = (row: KeyRow): KeyRecord => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

/** Undefined when `expiresAt` has passed; then nothing is written. */
export async function insertKey(database: Database, key: NewKey): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRow>({
    text: `
insert into api_keys (id, customer_id, name, scopes, secret_hash, expires_at)
select $1::text, $2::text, $3::text, $4::text[], $5::bytea, $6::timestamptz
where $6::timestamptz is null or $6::timestamptz > clock_timestamp()
on conflict (id) do update
set secret_hash = excluded.secret_hash
where api_keys.secret_hash = excluded.secret_hash and api_keys.customer_id = excluded.customer_id
returning ${columns}`,
    values: [key.id, key.customerId, key.name, key.scopes, key.secretHash, key.expiresAt],
  })
  return row && toRecord(row)
}

/** Newest first, including revoked and expired keys. */
export async function listKeys(database: Database, customerId: string): Promise<KeyRecord[]> {
  const rows = await database.query<KeyRow>({
    text: `
select ${columns}
from api_keys
where customer_id = $1
order by created_at desc, id desc`,
    values: [customerId],
  })
  return rows.map(toRecord)
}

/** A key that can still be rotated: neither revoked nor expired. */
export async function findLiveKey(database: Database, customerId: string, id: string): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRow>({
    text: `
select ${columns}
from api_keys
where id = $1 and customer_id = $2 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
    values: [id, customerId],
  })
  return row && toRecord(row)
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
where id = $1 and customer_id = $2 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
returning ${columns}`,
    values: [rotation.id, rotation.customerId, rotation.secretHash, rotation.overlapSeconds],
  })
  return row && toRecord(row)
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
returning ${columns}`,
    values: [id, customerId],
  })
  return row && toRecord(row)
}
