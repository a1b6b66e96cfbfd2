// The API keys of a customer: list, find, rotate, revoke. Every statement names the customer. The writes are
// idempotent: they can be retried after a lost answer.
import type { Scope } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { recordAct } from '../acts/record-act.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { lockCustomer, lockCustomerFor } from './lock-customer.ts'

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
  readonly by: Actor
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

export async function findKey(database: Database, customerId: string, id: string): Promise<KeyRecord | undefined> {
  const [row] = await database.query<KeyRow>({
    text: `
select ${keyColumns}
from api_keys
where id = $1 and customer_id = $2`,
    values: [id, customerId],
  })
  return row && toKeyRecord(row)
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
export const rotateLiveKey = (database: Database, rotation: KeyRotation): Promise<KeyRecord | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { id, customerId, secretHash, overlapSeconds, by } = rotation
      await lockCustomerFor(client, customerId, by)
      const { rows } = await client.query<KeyRow>(rotateText, [id, customerId, secretHash, overlapSeconds, by.keyId])
      const details = { overlap_seconds: overlapSeconds }
      if (rows[0]) await recordAct(client, { customerId, by, action: 'key.rotate', target: id, details })
      // After a lost answer to the commit, the key has the secret already.
      const row = rows[0] ?? (await findOne(client, 'secret_hash = $3', [id, customerId, secretHash]))
      return row && toKeyRecord(row)
    }),
  )

const rotateText = `
update api_keys
set secret_hash = $3,
  previous_hash = case when $4::float8 > 0 then secret_hash end,
  previous_valid_until = case when $4::float8 > 0 then clock_timestamp() + make_interval(secs => $4::float8) end,
  rotated_by = $5
where id = $1 and customer_id = $2 and secret_hash <> $3 and ${isLive}
returning ${keyColumns}`

interface Revocation {
  readonly customerId: string
  readonly id: string
  readonly by: Actor
}

/** Undefined when the customer has no such key. A key that is revoked already keeps its time. */
export const revokeKeyOnce = (database: Database, { customerId, id, by }: Revocation): Promise<KeyRecord | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      await lockCustomer(client, customerId)
      const { rows } = await client.query<KeyRow>(revokeText, [id, customerId])
      if (rows[0]) await recordAct(client, { customerId, by, action: 'key.revoke', target: id })
      const row = rows[0] ?? (await findOne(client, 'true', [id, customerId]))
      return row && toKeyRecord(row)
    }),
  )

const revokeText = `
update api_keys
set revoked_at = date_trunc('milliseconds', clock_timestamp())
where id = $1 and customer_id = $2 and revoked_at is null
returning ${keyColumns}`

async function findOne(client: pg.PoolClient, condition: string, values: unknown[]): Promise<KeyRow | undefined> {
  const { rows } = await client.query<KeyRow>(
    `select ${keyColumns} from api_keys where id = $1 and customer_id = $2 and ${condition}`,
    values,
  )
  return rows[0]
}
