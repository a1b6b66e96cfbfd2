// The sessions of the console. Like keys, they are found without naming the customer: the session determines it.
import type { Database, RetryBudget } from '../postgres/database.ts'

export interface NewSession {
  readonly tokenHash: Buffer
  readonly customerId: string
  readonly keyId: string
  readonly secretHash: Buffer
  readonly maxSeconds: number
  /** Of a person who has signed in. Left out: the session is opened with a key. */
  readonly signIn?: NewSignIn
}

export interface NewSignIn {
  /** When the provider was asked, by the clock of the database. */
  readonly askedAt: Date
  readonly groupsSeconds: number
  readonly sealedRefresh: Buffer | null
  readonly signedInAt: Date | null
}

export interface SessionRow {
  readonly keyId: string
  readonly secretHash: Buffer
  readonly expiresAt: Date
  /** By the clock of the database; negative if it has expired. */
  readonly expiresInMs: number
  /** Undefined: it was opened with a key. */
  readonly signIn: SignInRow | undefined
}

/** By the clock of the database. */
export interface SignInRow {
  /** Negative if the groups have to be read again. */
  readonly groupsInMs: number
  readonly sealedRefresh: Buffer | null
  readonly signedInAgoMs: number | null
}

/** The secret is the current one of the key, or an old one during its overlap. */
const hasValidSecret = (hash: string): string => `
  (${hash} = k.secret_hash or k.old_until[array_position(k.old_hashes, ${hash})] > clock_timestamp())`

const isLiveKey = 'k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())'

/** Returns when it expires. Undefined if the key or its secret is not valid any more. */
export async function insertSession(database: Database, session: NewSession): Promise<Date | undefined> {
  const [row] = await database.query<{ expires_at: Date }>({
    text: `
with opened as (
  insert into console_sessions (token_hash, customer_id, key_id, secret_hash, expires_at, groups_until, sealed_refresh,
    signed_in_at)
  select $1, k.customer_id, k.id, $4, least(clock_timestamp() + make_interval(secs => $5), k.expires_at),
    $9::timestamptz + make_interval(secs => $6), $7::bytea, $8::timestamptz
  from api_keys k
  where k.id = $3 and k.customer_id = $2 and ${isLiveKey} and ${hasValidSecret('$4')}
  on conflict (token_hash) do update set token_hash = excluded.token_hash
  returning customer_id, key_id, expires_at, groups_until, xmax = 0 as is_new
),
acted as (
  insert into audit_queue (customer_id, at, action, key_id, via, target)
  select customer_id, date_trunc('milliseconds', clock_timestamp()), 'person.sign_in', key_id, 'console', key_id
  from opened
  where groups_until is not null and is_new
)
select expires_at
from opened`,
    values: [
      session.tokenHash,
      session.customerId,
      session.keyId,
      session.secretHash,
      session.maxSeconds,
      session.signIn?.groupsSeconds,
      session.signIn?.sealedRefresh,
      session.signIn?.signedInAt,
      session.signIn?.askedAt,
    ],
  })
  return row?.expires_at
}

// Short, because a request waits.
const retryBudget: RetryBudget = { ms: 3_000, ambiguousMs: 3_000 }

type FoundRow = {
  token_hash: Buffer
  key_id: string
  secret_hash: Buffer
  expires_at: Date
  expires_in_ms: number
  groups_in_ms: number | null
  sealed_refresh: Buffer | null
  signed_in_ago_ms: number | null
}

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
  (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms,
  (extract(epoch from groups_until - clock_timestamp()) * 1000)::float8 as groups_in_ms,
  sealed_refresh,
  (extract(epoch from clock_timestamp() - signed_in_at) * 1000)::float8 as signed_in_ago_ms
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
    signIn:
      row.groups_in_ms === null
        ? undefined
        : {
            groupsInMs: row.groups_in_ms,
            sealedRefresh: row.sealed_refresh,
            signedInAgoMs: row.signed_in_ago_ms,
          },
  })
  return new Map(rows.map((row) => [row.token_hash.toString('hex'), toSession(row)]))
}

interface OpenSession {
  readonly tokenHash: Buffer
  /** The groups of the person have to be read again first. */
  readonly isPaused: boolean
}

/**
 * Those of the hashes whose session is open: neither ended nor expired, and opened with a secret that is still valid.
 */
export async function findOpenSessions(database: Database, tokenHashes: readonly Buffer[]): Promise<OpenSession[]> {
  const rows = await database.query<{ token_hash: Buffer; is_paused: boolean }>({
    text: `
select s.token_hash, coalesce(s.groups_until <= clock_timestamp(), false) as is_paused
from console_sessions s
join api_keys k on k.id = s.key_id
where s.token_hash = any($1) and s.expires_at > clock_timestamp() and ${hasValidSecret('s.secret_hash')}`,
    values: [tokenHashes],
  })
  return rows.map(({ token_hash, is_paused }) => ({ tokenHash: token_hash, isPaused: is_paused }))
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
