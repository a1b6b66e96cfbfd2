// Finds bodies of schedules that are sealed with an older data key, and replaces them by the same bodies, sealed with a
// newer one. A row is replaced only if it is still as it was found.
import type { SealedValue } from '../../runtime/secrets/cipher-keyring.ts'
import type { Database } from '../postgres/database.ts'

export interface SealedBody extends SealedValue {
  readonly customerId: string
  readonly scheduleId: string
}

/** Where the last page ended. Rows that cannot be opened stay, and must not hold up the rows after them. */
export type BodyPosition = Pick<SealedBody, 'keyId' | 'customerId' | 'scheduleId'>

export const firstBody: BodyPosition = {
  keyId: 0,
  customerId: '',
  scheduleId: '00000000-0000-0000-0000-000000000000',
}

export async function findBodiesBefore(
  database: Database,
  keyId: number,
  page: { readonly after: BodyPosition; readonly limit: number },
): Promise<SealedBody[]> {
  const rows = await database.query<{ customer_id: string; id: string; sealed: Buffer; sealed_key: number }>({
    text: `
select customer_id, id, sealed, sealed_key
from schedules
where sealed_key < $1 and (sealed_key, customer_id, id) > ($2, $3, $4)
order by sealed_key, customer_id, id
limit $5`,
    values: [keyId, page.after.keyId, page.after.customerId, page.after.scheduleId, page.limit],
  })
  return rows.map((row) => ({
    customerId: row.customer_id,
    scheduleId: row.id,
    bytes: row.sealed,
    keyId: row.sealed_key,
  }))
}

/** Returns whether the body was still the one that was found. */
export async function replaceBody(database: Database, was: SealedBody, sealed: SealedValue): Promise<boolean> {
  const rows = await database.query({
    text: `
update schedules
set sealed = $3, sealed_key = $4
where customer_id = $1 and id = $2 and sealed = $5
returning 1`,
    values: [was.customerId, was.scheduleId, sealed.bytes, sealed.keyId, was.bytes],
  })
  return rows.length > 0
}
