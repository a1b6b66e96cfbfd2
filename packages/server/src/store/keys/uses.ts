// Writes when keys were last used, many keys in one statement.
import type { Database, RetryBudget } from '../postgres/database.ts'

interface KeyUse {
  readonly keyId: string
  /** How long ago, because the clocks of the hosts may differ from the database's. */
  readonly agoMs: number
}

// Short: it can be written later, and a shutdown must not wait for it.
const defaultRetryBudget: RetryBudget = { ms: 1_000, ambiguousMs: 1_000 }

/**
 * Returns how many keys were written. Rows are locked in the order of their ids, because other processes write the same
 * ones. A stored time is never set back.
 */
export async function writeKeyUses(database: Database, uses: readonly KeyUse[]): Promise<number> {
  const rows = await database.query(
    {
      text: `
with locked as (
  select k.id, u.ago_ms
  from unnest($1::text[], $2::float8[]) as u (id, ago_ms)
  join api_keys k on k.id = u.id
  order by k.id
  for no key update of k
)
update api_keys k
set last_used_at = greatest(
  k.last_used_at,
  date_trunc('milliseconds', clock_timestamp() - l.ago_ms * interval '1 millisecond')
)
from locked l
where k.id = l.id
returning k.id`,
      values: [uses.map(({ keyId }) => keyId), uses.map(({ agoMs }) => agoMs)],
    },
    defaultRetryBudget,
  )
  return rows.length
}
