// Reading the groups of a signed-in person again: one process at a time claims it for a session, because a refresh
// token works once. A claim whose process has died ends by itself.
import type { Database } from '../postgres/database.ts'

/** Longer than the provider may take. */
const claimSeconds = 30

export interface ClaimedRenewal {
  readonly customerId: string
  readonly keyId: string
  readonly issuer: string
  readonly subject: string
  readonly sealedRefresh: Buffer
}

type ClaimRow = { customer_id: string; key_id: string; issuer: string; subject: string; sealed_refresh: Buffer }

/** Undefined: another process does it, has done it, or the session has ended. Not repeated: the answer may be lost. */
export async function claimRenewal(
  database: Database,
  { tokenHash, secondsBefore }: { readonly tokenHash: Buffer; readonly secondsBefore: number },
): Promise<ClaimedRenewal | undefined> {
  const [row] = await database.query<ClaimRow>({
    text: `
update console_sessions s
set renewing_until = clock_timestamp() + make_interval(secs => $3)
from api_keys k
where s.token_hash = $1
  and k.id = s.key_id
  and k.issuer is not null
  and s.sealed_refresh is not null
  and s.expires_at > clock_timestamp()
  and s.groups_until <= clock_timestamp() + make_interval(secs => $2)
  and coalesce(s.renewing_until <= clock_timestamp(), true)
returning s.customer_id, s.key_id, k.issuer, k.subject, s.sealed_refresh`,
    values: [tokenHash, secondsBefore, claimSeconds],
  })
  return (
    row && {
      customerId: row.customer_id,
      keyId: row.key_id,
      issuer: row.issuer,
      subject: row.subject,
      sealedRefresh: row.sealed_refresh,
    }
  )
}

interface FinishedRenewal {
  readonly tokenHash: Buffer
  readonly groupsSeconds: number
  readonly sealedRefresh: Buffer
}

export async function finishRenewal(database: Database, renewal: FinishedRenewal): Promise<void> {
  await database.query({
    text: `
update console_sessions
set groups_until = clock_timestamp() + make_interval(secs => $2), sealed_refresh = $3, renewing_until = null
where token_hash = $1`,
    values: [renewal.tokenHash, renewal.groupsSeconds, renewal.sealedRefresh],
  })
}

/** The provider could not be asked. Another attempt may begin at once. */
export async function giveUpRenewal(database: Database, tokenHash: Buffer): Promise<void> {
  await database.query({
    text: `
update console_sessions
set renewing_until = null
where token_hash = $1`,
    values: [tokenHash],
  })
}
