// Keys that a start makes: those that the settings name, and the very first one. Several processes may start at once.
import { type Database, withRetry } from '../postgres/database.ts'
import type { NewKey } from './keys.ts'

export type BootstrapRow = Omit<NewKey, 'expiresAt'>

/** Makes customers and keys that are not there and touches none that are. */
export async function insertMissingKeys(database: Database, keys: readonly BootstrapRow[]): Promise<void> {
  await database.query({
    // In the order of ids: processes that start with the same keys in another order would wait for each other.
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
insert into api_keys (id, customer_id, name, scopes, secret_hash)
values ($1, $2, $3, $4, $5)
on conflict (id) do nothing`

const insertValues = (key: BootstrapRow): unknown[] => [key.id, key.customerId, key.name, key.scopes, key.secretHash]

// Any number will do, as long as nothing else in the database uses it as an advisory lock.
const firstKeyLock = 7_205_201_120

/**
 * Makes the key and its customer if there is no key at all, of any customer. True when this key is there afterwards: also
 * when an earlier try of this call committed and nobody heard of it, or its secret would be lost unseen.
 */
export async function insertFirstKey(database: Database, key: BootstrapRow): Promise<boolean> {
  return withRetry(() =>
    database.transaction(async (client) => {
      // Whoever waits here looks for keys with a snapshot taken after the other one's commit.
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
