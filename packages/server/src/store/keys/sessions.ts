// The sessions of the console. Like keys, they are found without naming the customer: the session determines it.
import type { Database, RetryBudget } from '../postgres/database.ts'

export interface NewSession {
  readonly tokenHash: Buffer
  readonly customerId: string
  readonly keyId: string
  readonly secretHash: Buffer
  readonly maxDays: number
}

export interface SessionRow {
  readonly keyId: string
  readonly secretHash: Buffer
  readonly expiresAt: Date
  /** By the clock of the database; negative if it has expired. */
  readonly expiresInMs: number
}

/** The secret is the current one of the key, or an old one during its overlap. */
const hasValidSecret = (hash: string): string => `
  (${hash} = k.secret_hash or k.old_until[array_position(k.old_hashes, ${hash})] > clock_timestamp())`

const isLiveKey = 'k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())'

/** Returns when it expires. Undefined if the key or its secret is not valid any more. */
export async function insertSession(database: Database, session: NewSession): Promise<Date | undefined> {
  const [row] = await database.query<{ expires_at: Date }>({
    text: `
insert into console_sessions (token_hash, customer_id, key_id, secret_hash, expires_at)
select $1, k.customer_id, k.id, $4, least(clock_timestamp() + make_interval(days => $5), k.expires_at)
from api_keys k
where k.id = $3 and k.customer_id = $2 and ${isLiveKey} and ${hasValidSecret('$4')}
on conflict (token_hash) do update set token_hash = excluded.token_hash
returning expires_at`,
    values: [session.tokenHash, session.customerId, session.keyId, session.secretHash, session.maxDays],
  })
  return row?.expires_at
}

// Short, because a request waits.
const retryBudget: RetryBudget = { ms: 3_000, ambiguousMs: 3_000 }

type FoundRow = { token_hash: Buffer; key_id: string; secret_hash: Buffer; expires_at: Date; expires_in_ms: number }

/** By the hash of the token, in hex. */
export async function findSessions(
  database: Database,
  tokenHashes: readonly Buffer[],
): Promise<Map<string, SessionRow>> {
  const rows = await database.query<FoundRow>(
    {
      name: 'find-console-sessions',
      text: `
select token_hash, key_id, secret_hash, expires_at,
  (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms
from console_sessions
where token_hash = any($1)`,
      values: [tokenHashes],
    },
    retryBudget,
  )
  const toSession = (row: FoundRow): SessionRow => ({
    keyId: row.key_id,
    secretHash: row.secret_hash,
    expiresAt: row.expires_at,
    expiresInMs: row.expires_in_ms,
  })
  return new Map(rows.map((row) => [row.token_hash.toString('hex'), toSession(row)]))
}

/**
 * Those of the hashes whose session is open: neither ended nor expired, and opened with a secret that is still valid.
 */
export async function findOpenSessions(database: Database, tokenHashes: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await database.query<{ token_hash: Buffer }>({
    text: `
select s.token_hash
from console_sessions s
join api_keys k on k.id = s.key_id
where s.token_hash = any($1) and s.expires_at > clock_timestamp() and ${hasValidSecret('s.secret_hash')}`,
    values: [tokenHashes],
  })
  return rows.map(({ token_hash }) => token_hash)
}

export async function deleteSession(database: Database, tokenHash: Buffer): Promise<void> {
  await database.query({
    text: `
delete from console_sessions
where token_hash = $1`,
    values: [tokenHash],
  })
}

/** Returns how many there were. */
export async function deleteExpiredSessions(database: Database): Promise<number> {
  const rows = await database.query({
    text: `
delete from console_sessions
where expires_at <= clock_timestamp()
returning 1`,
    values: [],
  })
  return rows.length
}
