// Inserts an API key, up to a number of live keys per customer. The rows of people who sign in do not count.
import type { Scope } from '@runwright/contract'
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { changeOnce, type Once, type Repeatable } from '../requests/kept-answers.ts'
import { type Act, recordAct } from '../requests/record-act.ts'
import { isLive, type KeyRecord, type KeyRow, keyColumns, toKeyRecord } from './keys.ts'
import { lockCustomerFor } from './lock-customer.ts'

export interface NewKey {
  readonly id: string
  readonly customerId: string
  readonly name: string | null
  readonly scopes: readonly Scope[]
  readonly roles?: readonly string[] | undefined
  readonly person?: string | undefined
  readonly secretHash: Buffer
  readonly expiresAt: Date | null
}

export type KeyInsertion =
  | ({ readonly outcome: 'inserted' } & Once<KeyRecord>)
  /** Nothing was written. `expired`: `expiresAt` has passed. */
  | { readonly outcome: 'expired' | 'too_many' }

interface Insertion {
  readonly maxLiveKeys: number
  readonly by: Actor
  /** What the secret was derived from. */
  readonly seed: Buffer
  readonly repeatable?: Repeatable | undefined
}

/** Can be retried after a lost answer: the same key is not inserted twice, and does not count for itself. */
export const insertKey = (
  database: Database,
  key: NewKey,
  { maxLiveKeys, by, seed, repeatable }: Insertion,
): Promise<KeyInsertion> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { customerId } = key
      // Creates of one customer take turns: each one counts the keys of those before it.
      await lockCustomerFor(client, customerId, by)
      let refusal: 'expired' | 'too_many' = 'expired'
      const make = async () => {
        if ((await countOthers(client, key)) < maxLiveKeys) return insertOne(client, key, by)
        refusal = 'too_many'
        return undefined
      }
      const inserted = await changeOnce(client, { customerId, repeatable, seed, make })
      return inserted ? { outcome: 'inserted', ...inserted } : { outcome: refusal }
    }),
  )

async function insertOne(client: pg.PoolClient, key: NewKey, by: Actor): Promise<KeyRecord | undefined> {
  const { rows } = await client.query<KeyRow>(insertText, valuesOf(key, by))
  if (rows[0]) await recordAct(client, keyCreation(key, by))
  const row = rows[0] ?? (await findInserted(client, key))
  return row && toKeyRecord(row)
}

async function countOthers(client: pg.PoolClient, { id, customerId }: NewKey): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*) from api_keys where customer_id = $1 and id <> $2 and issuer is null and ${isLive}`,
    [customerId, id],
  )
  return rows[0]?.count ?? 0
}

const insertText = `
insert into api_keys (id, customer_id, name, scopes, secret_hash, expires_at, created_by, roles, person)
select $1::text, $2::text, $3::text, $4::text[], $5::bytea, $6::timestamptz, $7::text, $8::text[], $9::text
where $6::timestamptz is null or $6::timestamptz > clock_timestamp()
on conflict (id) do nothing
returning ${keyColumns}`

/** The key that an earlier attempt has inserted. */
async function findInserted(client: pg.PoolClient, key: NewKey): Promise<KeyRow | undefined> {
  const { rows } = await client.query<KeyRow>(
    `select ${keyColumns} from api_keys where id = $1 and customer_id = $2 and secret_hash = $3`,
    [key.id, key.customerId, key.secretHash],
  )
  return rows[0]
}

const keyCreation = ({ id, customerId, scopes, roles = [], person, expiresAt }: NewKey, by: Actor): Act => ({
  customerId,
  by,
  action: 'key.create',
  target: id,
  details: {
    scopes,
    expires_at: expiresAt?.toISOString() ?? null,
    ...(roles.length > 0 && { roles }),
    ...(person !== undefined && { person }),
  },
})

const valuesOf = (key: NewKey, by: Actor): unknown[] => [
  key.id,
  key.customerId,
  key.name,
  key.scopes,
  key.secretHash,
  key.expiresAt,
  by.keyId,
  key.roles ?? [],
  key.person,
]
