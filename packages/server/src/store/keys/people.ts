// The rows of people who sign in: one per customer and person, beside the keys with secrets. Scopes and roles are what
// the identity provider told last. Everything that a person does has the id of this row.
import type { Scope } from '@runwright/contract'
import type pg from 'pg'
import { type Actor, actorOf, operator } from '../../domain/actor.ts'
import { type Database, withRetry } from '../postgres/database.ts'
import { recordAct } from '../requests/record-act.ts'
import { lockCustomer } from './lock-customer.ts'

export interface Identity {
  readonly customerId: string
  readonly issuer: string
  readonly subject: string
}

export interface Person extends Identity {
  readonly person: string
  readonly name: string | null
  readonly scopes: readonly Scope[]
  readonly roles: readonly string[]
}

export interface PersonRow {
  readonly keyId: string
  readonly secretHash: Buffer
  readonly isRevoked: boolean
}

interface NewRow {
  readonly keyId: string
  /** Of nothing that anyone knows. */
  readonly secretHash: Buffer
}

type FoundRow = { id: string; secret_hash: Buffer; revoked: boolean; unchanged: boolean }

/**
 * Creates the row, or brings it up to date. A revoked row stays as it is. Undefined: the customer does not exist. Can
 * be repeated: the second time nothing is left to change.
 */
export const keepPerson = (database: Database, person: Person, fresh: NewRow): Promise<PersonRow | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      // Sign-ins of one person on two browsers take turns, and so do they with a revocation.
      await lockCustomer(client, person.customerId)
      const { rows } = await client.query<FoundRow>(findText, valuesOf(person))
      const [found] = rows
      if (!found) return insertPerson(client, person, fresh)
      if (!found.revoked && !found.unchanged) await updatePerson(client, found.id, person)
      return { keyId: found.id, secretHash: found.secret_hash, isRevoked: found.revoked }
    }),
  )

const valuesOf = ({ customerId, issuer, subject, person, name, scopes, roles }: Person): unknown[] => [
  customerId,
  issuer,
  subject,
  person,
  name,
  scopes,
  roles,
]

const findText = `
select id, secret_hash, revoked_at is not null as revoked,
  (person, name, scopes, roles) is not distinct from ($4::text, $5::text, $6::text[], $7::text[]) as unchanged
from api_keys
where customer_id = $1 and issuer = $2 and subject = $3`

async function insertPerson(client: pg.PoolClient, person: Person, fresh: NewRow): Promise<PersonRow | undefined> {
  const { rows } = await client.query(
    `
insert into api_keys (customer_id, issuer, subject, person, name, scopes, roles, id, secret_hash)
select $1::text, $2, $3, $4, $5, $6::text[], $7::text[], $8, $9::bytea
where exists (select from customers where id = $1::text)
returning 1`,
    [...valuesOf(person), fresh.keyId, fresh.secretHash],
  )
  if (rows.length === 0) return undefined
  await recordUpdate(client, fresh.keyId, person)
  return { ...fresh, isRevoked: false }
}

async function updatePerson(client: pg.PoolClient, keyId: string, person: Person): Promise<void> {
  await client.query(
    `
update api_keys
set person = $4, name = $5, scopes = $6, roles = $7, updated_at = date_trunc('milliseconds', clock_timestamp())
where customer_id = $1 and issuer = $2 and subject = $3 and id = $8`,
    [...valuesOf(person), keyId],
  )
  await recordUpdate(client, keyId, person)
}

/** Groups count because the operator's settings say so. */
const recordUpdate = (client: pg.PoolClient, keyId: string, { customerId, person, scopes, roles }: Person) =>
  recordAct(client, {
    customerId,
    by: operator,
    action: 'person.update',
    target: keyId,
    details: { person, scopes, roles },
  })

export type EndReason = 'signed_out_everywhere' | 'groups'

interface Ending {
  readonly customerId: string
  readonly keyId: string
  /** The new one, of nothing that anyone knows. */
  readonly secretHash: Buffer
  readonly reason: EndReason
}

/** Ends all sessions of the person, and all tokens. Without groups the person has no roles any more, either. */
export const endSessionsOf = (database: Database, ending: Ending): Promise<void> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { customerId, keyId, secretHash, reason } = ending
      await lockCustomer(client, customerId)
      const { rows } = await client.query(endText, [customerId, keyId, secretHash, reason === 'groups'])
      // The second attempt after a lost answer.
      if (rows.length === 0) return
      await client.query('delete from console_sessions where key_id = $1 and customer_id = $2', [keyId, customerId])
      const by = reason === 'groups' ? operator : byPerson(keyId)
      await recordAct(client, { customerId, by, action: 'person.end_sessions', target: keyId, details: { reason } })
    }),
  )

const endText = `
update api_keys
set secret_hash = $3::bytea, roles = case when $4::boolean then '{}' else roles end,
  updated_at = date_trunc('milliseconds', clock_timestamp())
where customer_id = $1 and id = $2 and issuer is not null and secret_hash <> $3::bytea
returning 1`

/** At the console. */
export const byPerson = (keyId: string): Actor => actorOf({ keyId, sessionId: '' })
