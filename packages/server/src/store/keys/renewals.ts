// Reading the groups of a signed-in person again: one process at a time claims it for a session, because a refresh
// token works once. A claim whose process has died ends by itself. A process that comes too late, because it stood
// still, does not have the claim any more: whatever it writes then changes nothing.
import type { Database } from '../postgres/database.ts'

/** Longer than the provider may take. */
const claimSeconds = 30

interface Claim {
  readonly tokenHash: Buffer
  /** When the claim began, by the clock of the database and before the provider was asked. No other claim has it. */
  readonly askedAt: Date
}

export interface ClaimedRenewal extends Claim {
  readonly customerId: string
  readonly keyId: string
  readonly issuer: string
  readonly subject: string
  readonly sealedRefresh: Buffer
}

type ClaimRow = {
  customer_id: string
  key_id: string
  issuer: string
  subject: string
  sealed_refresh: Buffer
  asked_at: Date
}

/** Undefined: another process does it, has done it, or the session has ended. Not repeated: the answer may be lost. */
export async function claimRenewal(
  database: Database,
  { tokenHash, secondsBefore }: { readonly tokenHash: Buffer; readonly secondsBefore: number },
): Promise<ClaimedRenewal | undefined> {
  const [row] = await database.query<ClaimRow>({
    text: `
update console_sessions s
set renewing_until = now.at + make_interval(secs => $3)
from api_keys k, (select date_trunc('milliseconds', clock_timestamp()) as at) now
where s.token_hash = $1
  and k.id = s.key_id
  and k.issuer is not null
  and s.sealed_refresh is not null
  and s.expires_at > clock_timestamp()
  and s.groups_until <= clock_timestamp() + make_interval(secs => $2)
  and coalesce(s.renewing_until <= clock_timestamp(), true)
returning s.customer_id, s.key_id, k.issuer, k.subject, s.sealed_refresh, now.at as asked_at`,
    values: [tokenHash, secondsBefore, claimSeconds],
  })
  return (
    row && {
      tokenHash,
      askedAt: row.asked_at,
      customerId: row.customer_id,
      keyId: row.key_id,
      issuer: row.issuer,
      subject: row.subject,
      sealedRefresh: row.sealed_refresh,
    }
  )
}

/** Still the claim of this process: `$2` is its `askedAt`. */
const isClaimed = `token_hash = $1 and renewing_until = $2::timestamptz + interval '${claimSeconds} seconds'`

/**
 * The token that the provider gave for the one before, which works no more. False: the claim is gone, and with it the
 * session's token.
 */
export async function keepRefreshToken(
  database: Database,
  { tokenHash, askedAt }: Claim,
  sealedRefresh: Buffer,
): Promise<boolean> {
  const rows = await database.query({
    text: `
update console_sessions
set sealed_refresh = $3
where ${isClaimed}
returning 1`,
    values: [tokenHash, askedAt, sealedRefresh],
  })
  return rows.length > 0
}

/** The groups count from when the provider was asked. */
export async function finishRenewal(
  database: Database,
  { tokenHash, askedAt }: Claim,
  groupsSeconds: number,
): Promise<void> {
  await database.query({
    text: `
update console_sessions
set groups_until = $2::timestamptz + make_interval(secs => $3), renewing_until = null
where ${isClaimed}`,
    values: [tokenHash, askedAt, groupsSeconds],
  })
}

/** The provider could not be asked, or its answer is outdated. Another attempt may begin at once. */
export async function giveUpRenewal(database: Database, { tokenHash, askedAt }: Claim): Promise<void> {
  await database.query({
    text: `
update console_sessions
set renewing_until = null
where ${isClaimed}`,
    values: [tokenHash, askedAt],
  })
}

/** The provider has refused: the session ends. */
export async function endRefusedSession(database: Database, { tokenHash, askedAt }: Claim): Promise<void> {
  await database.query({
    text: `
delete from console_sessions
where ${isClaimed}`,
    values: [tokenHash, askedAt],
  })
}

/** For a sign-in, before the provider is asked. */
export async function readAskingTime(database: Database): Promise<Date> {
  const text = "select date_trunc('milliseconds', clock_timestamp()) as asked_at"
  const [row] = await database.query<{ asked_at: Date }>({ text, values: [] })
  if (!row) throw new Error('the database did not tell its time')
  return row.asked_at
}
