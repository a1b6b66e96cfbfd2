// Reads keys for authentication. The only read of keys that does not name the customer: the key determines it.
import type { Scope } from '@runwright/contract'
import type { Database, RetryBudget } from '../postgres/database.ts'

/** Times are relative to the database's clock when the row was read; negative values are in the past. */
export interface Credentials {
  readonly keyId: string
  readonly keyName: string | null
  readonly customerId: string
  readonly scopes: readonly Scope[]
  readonly roles: readonly string[]
  readonly person: string | null
  readonly secretHash: Buffer
  /** Old secrets. Those whose time is over may be among them. */
  readonly old: readonly { readonly hash: Buffer; readonly validForMs: number }[]
  readonly expiresInMs: number | null
  readonly revoked: boolean
  readonly suspended: boolean
  /** The customer lives in another cell. */
  readonly moved: boolean
  /** The time of the database when the row was read. */
  readonly databaseMs: number
}

type CredentialsRow = {
  id: string
  name: string | null
  customer_id: string
  scopes: Scope[]
  roles: string[]
  person: string | null
  secret_hash: Buffer
  old_hashes: Buffer[]
  old_valid_ms: number[]
  expires_in_ms: number | null
  revoked: boolean
  suspended: boolean
  moved: boolean
  database_ms: number
}

// Short, because a request waits. A read can be repeated, so both limits are the same.
const defaultRetryBudget: RetryBudget = { ms: 3_000, ambiguousMs: 3_000 }

export async function findCredentials(
  database: Database,
  keyIds: readonly string[],
  retryBudget: RetryBudget = defaultRetryBudget,
): Promise<Map<string, Credentials>> {
  const rows = await database.query<CredentialsRow>(
    {
      name: 'find-credentials',
      text: `
select k.id, k.name, k.customer_id, k.scopes, k.roles, k.person, k.secret_hash, k.old_hashes,
  array(
    select (extract(epoch from until - clock_timestamp()) * 1000)::float8
    from unnest(k.old_until) with ordinality as o(until, n)
    order by n
  ) as old_valid_ms,
  (extract(epoch from k.expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms,
  k.revoked_at is not null as revoked,
  c.suspended_at is not null as suspended,
  coalesce(c.move in ('moved', 'gone'), false) as moved,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
from api_keys k
join customers c on c.id = k.customer_id
where k.id = any($1)`,
      values: [keyIds],
    },
    retryBudget,
  )
  return new Map(rows.map((row) => [row.id, toCredentials(row)]))
}

const toCredentials = (row: CredentialsRow): Credentials => ({
  keyId: row.id,
  keyName: row.name,
  customerId: row.customer_id,
  scopes: row.scopes,
  roles: row.roles,
  person: row.person,
  secretHash: row.secret_hash,
  old: row.old_hashes.map((hash, index) => ({ hash, validForMs: row.old_valid_ms[index] ?? 0 })),
  expiresInMs: row.expires_in_ms,
  revoked: row.revoked,
  suspended: row.suspended,
  moved: row.moved,
  databaseMs: row.database_ms,
})
