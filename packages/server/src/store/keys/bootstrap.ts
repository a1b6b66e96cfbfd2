// Keys that are created at start: those in the settings, and the first key. Several processes may start at once.
import { type Database, withRetry } from '../postgres/database.ts'
import type { NewKey } from './insert-key.ts'

export type BootstrapRow = Omit<NewKey, 'expiresAt'>

/** Creates missing customers and keys. Leaves existing ones unchanged. */
export async function insertMissingKeys(database: Database, keys: readonly BootstrapRow[]): Promise<void> {
  await database.query({
    // In the order of ids, so that processes that start with the same keys do not deadlock.
    text: `
insert into customers (id)
select distinct id
from unnest($1::text[]) as id
order by id
on conflict (id) do nothing`,
    values: [keys.map((key) => key.customerId)],
  })
  for (const key of keys) await database.query({ text: insertText, values: insertValues(key) })
}

const insertText = `
with inserted as (
  insert into api_keys (id, customer_id, name, scopes, secret_hash)
  select $1, $2, $3, $4::text[], $5::bytea
  -- The key of a customer that lives in another cell is there.
  where not exists (select from customers where id = $2 and move is not null)
  on conflict (id) do nothing
  returning id, customer_id, scopes
)
insert into audit_queue (customer_id, at, action, via, target, details)
select customer_id, date_trunc('milliseconds', clock_timestamp()), 'key.create', 'operator', id,
  json_build_object('scopes', scopes, 'expires_at', null)
from inserted`

const insertValues = (key: BootstrapRow): unknown[] => [key.id, key.customerId, key.name, key.scopes, key.secretHash]

// An arbitrary number that no other advisory lock in the database uses.
const firstKeyLock = 7_205_201_120

/**
 * Creates the key and its customer if there is no key of any customer. True when this key exists afterwards: also when
 * an earlier attempt of this call was committed and its answer lost. Otherwise its secret would never be shown.
 */
export async function insertFirstKey(database: Database, key: BootstrapRow): Promise<boolean> {
  return withRetry(() =>
    database.transaction(async (client) => {
      // After waiting for the lock, the next statement's snapshot sees what the other process committed.
      await client.query('select pg_advisory_xact_lock($1)', [firstKeyLock])
      const { rows: found } = await client.query('select id = $1 as ours from api_keys order by ours desc limit 1', [
        key.id,
      ])
      if (found[0]) return found[0].ours
      await client.query('insert into customers (id) values ($1) on conflict (id) do nothing', [key.customerId])
      await client.query(insertText, insertValues(key))
      return true
    }),
  )
}
