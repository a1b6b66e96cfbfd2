// The API keys of a customer: list, find, rotate, revoke. Every statement names the customer. The writes are
// idempotent: they can be retried after a lost answer.
import type { Scope } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { checkOldSecrets, type OldSecrets } from '../../domain/old-secrets.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { changeOnce, type Once, type Repeatable } from '../requests/kept-answers.ts'
import { recordAct } from '../requests/record-act.ts'
import { lockCustomer, lockCustomerFor } from './lock-customer.ts'

/** A key as its owner may see it: everything but the secret. */
export interface KeyRecord {
  readonly id: string
  readonly name: string | null
  readonly scopes: readonly Scope[]
  readonly roles: readonly string[]
  readonly person: string | null
  /** A person signs in with it: there is no secret. */
  readonly signsIn: boolean
  readonly createdAt: Date
  /** When it was created, rotated or revoked. */
  readonly updatedAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

interface KeyRotation {
  readonly id: string
  readonly customerId: string
  readonly secretHash: Buffer
  readonly overlapSeconds: number
  /** Left out: as before. */
  readonly roles?: readonly string[] | undefined
  readonly by: Actor
  /** What the secret was derived from. */
  readonly seed: Buffer
  readonly repeatable?: Repeatable | undefined
}

export const keyColumns =
  'id, name, scopes, roles, person, issuer is not null as signs_in, created_at, updated_at, expires_at, revoked_at, last_used_at'

export type KeyRow = {
  id: string
  name: string | null
  scopes: Scope[]
  roles: string[]
  person: string | null
  signs_in: boolean
  created_at: Date
  updated_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

export const toKeyRecord = (row: KeyRow): KeyRecord => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  roles: row.roles,
  person: row.person,
  signsIn: row.signs_in,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

/** How many revoked and expired keys a list shows. There may be any number of them. */
const maxEndedKeys = 1_000

export const isLive = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())'

/** Whether any customer has a key that works without a sign-in. */
export async function hasLiveKey(database: Database): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>({
    text: `
select exists (
  select from api_keys
  where issuer is null and ${isLive}
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

/** Where a page ended. */
export interface KeyPosition {
  readonly createdAtMs: number
  readonly id: string
}

interface KeyPage {
  readonly customerId: string
  readonly before: KeyPosition | undefined
  readonly limit: number
}

/** Newest first, with those that were revoked or have expired. */
export async function listKeyPage(database: Database, { customerId, before, limit }: KeyPage): Promise<KeyRecord[]> {
  const rows = await database.query<KeyRow>({
    text: `
select ${keyColumns}
from api_keys
where customer_id = $1 and (created_at, id) < (coalesce($2::timestamptz, 'infinity'), $3)
order by created_at desc, id desc
limit $4`,
    values: [customerId, before && new Date(before.createdAtMs), before?.id ?? '', limit],
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

/** Undefined when the customer has no such live key. Old secrets stay valid until their own time. */
export const rotateLiveKey = (database: Database, rotation: KeyRotation): Promise<Once<KeyRecord> | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { customerId, by, seed, repeatable } = rotation
      await lockCustomerFor(client, customerId, by)
      return changeOnce(client, { customerId, repeatable, seed, make: () => rotateOne(client, rotation) })
    }),
  )

async function rotateOne(client: pg.PoolClient, rotation: KeyRotation): Promise<KeyRecord | undefined> {
  const { id, customerId, secretHash, overlapSeconds, roles, by } = rotation
  checkOldSecrets(await findOldSecrets(client, [id, customerId, secretHash]), overlapSeconds, 'An API key')
  const { rows } = await client.query<KeyRow>(rotateText, [id, customerId, secretHash, overlapSeconds, by.keyId, roles])
  const details = { overlap_seconds: overlapSeconds, ...(roles && { roles }) }
  if (rows[0]) await recordAct(client, { customerId, by, action: 'key.rotate', target: id, details })
  // After a lost answer to the commit, the key has the secret already.
  const row = rows[0] ?? (await findOne(client, 'secret_hash = $3', [id, customerId, secretHash]))
  return row && toKeyRecord(row)
}

async function findOldSecrets(client: pg.PoolClient, values: unknown[]): Promise<OldSecrets> {
  const { rows } = await client.query<{ count: number; first_end: Date | null }>(
    `
select count(*), min(until) as first_end
from api_keys
cross join unnest(old_until) as until
where id = $1 and customer_id = $2 and secret_hash <> $3 and until > clock_timestamp()`,
    values,
  )
  return { count: rows[0]?.count ?? 0, firstEnd: rows[0]?.first_end ?? null }
}

// Old secrets whose time is over are dropped. Without an overlap, all of them are.
const rotateText = `
update api_keys k
set secret_hash = $3,
  old_hashes = case when $4::float8 > 0 then k.secret_hash || valid.hashes else '{}' end,
  old_until = case
    when $4::float8 > 0 then clock_timestamp() + make_interval(secs => $4::float8) || valid.untils
    else '{}'
  end,
  rotated_by = $5,
  roles = coalesce($6::text[], k.roles),
  updated_at = date_trunc('milliseconds', clock_timestamp())
from (
  select coalesce(array_agg(hash order by n), '{}') as hashes, coalesce(array_agg(until order by n), '{}') as untils
  from api_keys
  cross join unnest(old_hashes, old_until) with ordinality as old(hash, until, n)
  where id = $1 and customer_id = $2 and until > clock_timestamp()
) valid
where k.id = $1 and k.customer_id = $2 and k.secret_hash <> $3 and k.issuer is null and ${isLive}
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
set revoked_at = date_trunc('milliseconds', clock_timestamp()),
  updated_at = date_trunc('milliseconds', clock_timestamp())
where id = $1 and customer_id = $2 and revoked_at is null
returning ${keyColumns}`

async function findOne(client: pg.PoolClient, condition: string, values: unknown[]): Promise<KeyRow | undefined> {
  const { rows } = await client.query<KeyRow>(
    `select ${keyColumns} from api_keys where id = $1 and customer_id = $2 and ${condition}`,
    values,
  )
  return rows[0]
}
