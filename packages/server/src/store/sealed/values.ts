// Finds values that are sealed with an older data key, and replaces them by values sealed with a newer one. Every
// update names the key that it replaces: of two processes, the second changes nothing.
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'
import { lookUp } from '../postgres/look-up.ts'

export interface SealedRow extends SealedValue {
  readonly runId: string
  readonly customerId: string
}

/** Where the last page ended. Rows that cannot be opened stay, and must not hold up the rows after them. */
interface SealedPosition {
  readonly keyId: number
  readonly runId: string
}

export const firstPosition: SealedPosition = { keyId: 0, runId: '00000000-0000-0000-0000-000000000000' }

/** Values that are sealed with an older key than this one. */
export async function findSealedBefore(
  database: Database,
  keyId: number,
  page: { readonly after: SealedPosition; readonly limit: number },
): Promise<SealedRow[]> {
  const rows = await database.query<{ run_id: string; customer_id: string; sealed: Buffer; sealed_key: number }>({
    name: 'find-sealed-before',
    text: `
select run_id, customer_id, sealed, sealed_key
from run_inputs
where sealed_key < $1 and (sealed_key, run_id) > ($2, $3)
order by sealed_key, run_id
limit $4`,
    values: [keyId, page.after.keyId, page.after.runId, page.limit],
  })
  return rows.map((row) => ({
    runId: row.run_id,
    customerId: row.customer_id,
    keyId: row.sealed_key,
    bytes: row.sealed,
  }))
}

interface Resealed {
  readonly customerId: string
  readonly runId: string
  readonly wasKeyId: number
  readonly sealed: SealedValue
}

/** Returns how many were still sealed with the key that they were found with. */
export async function replaceSealed(database: Database, values: readonly Resealed[]): Promise<number> {
  const rows = await database.query({
    text: `
update run_inputs i
set sealed = v.sealed, sealed_key = v.sealed_key
from unnest($1::text[], $2::uuid[], $3::integer[], $4::bytea[], $5::integer[])
  as v(customer_id, run_id, was_key, sealed, sealed_key)
where ${lookUp({ 'i.customer_id': 'v.customer_id', 'i.run_id': 'v.run_id' })} and i.sealed_key = v.was_key
returning 1`,
    values: [
      values.map(({ customerId }) => customerId),
      values.map(({ runId }) => runId),
      values.map(({ wasKeyId }) => wasKeyId),
      values.map(({ sealed }) => sealed.bytes),
      values.map(({ sealed }) => sealed.keyId),
    ],
  })
  return rows.length
}

/** How many values each data key has sealed: those of runs, the bodies of schedules, and the secrets of webhooks. */
export async function countSealed(database: Database): Promise<Map<number, number>> {
  const rows = await database.query<{ sealed_key: number; count: number }>({
    text: `
select sealed_key, count(*)
from (
  select sealed_key
  from run_inputs
  where sealed_key is not null
  union all
  select sealed_key
  from schedules
  union all
  select sealed_key
  from webhooks
  union all
  select unnest(old_sealed_keys)
  from webhooks
) values
group by sealed_key`,
  })
  return new Map(rows.map(({ sealed_key, count }) => [sealed_key, count]))
}
