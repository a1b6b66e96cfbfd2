// Creates and changes of what outlives a key take turns with the revocation of keys: they lock the row of the customer.
// So a key that is revoked sets up nothing any more, also in processes whose cache still has it, and what is listed
// after the revocation is complete.
import type pg from 'pg'
import type { Actor } from '../../domain/actor.ts'
import { ServiceError } from '../../domain/service-error.ts'

/** Returns the clock of the database. Locked until the end of the transaction. */
export async function lockCustomer(client: pg.PoolClient, customerId: string): Promise<Date> {
  const text = 'select clock_timestamp() as now from customers where id = $1 for no key update'
  const { rows } = await client.query<{ now: Date }>(text, [customerId])
  return rows[0]?.now ?? new Date()
}

/** The same, for an act of a key or of the operator. Refused if the key was revoked before. */
export async function lockCustomerFor(client: pg.PoolClient, customerId: string, by: Actor): Promise<Date> {
  const now = await lockCustomer(client, customerId)
  if (by.keyId === null) return now
  // A statement of its own: its snapshot has what was committed while this transaction waited for the lock.
  const text = 'select from api_keys where id = $1 and revoked_at is not null'
  const { rows } = await client.query(text, [by.keyId])
  if (rows.length > 0) throw new ServiceError('API_KEY_REVOKED', 'The API key is revoked.')
  return now
}
