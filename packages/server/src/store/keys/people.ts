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
  /** When the provider was asked, by the clock of the database. */
  readonly askedAt: Date
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

type FoundRow = { id: string; secret_hash: Buffer; revoked: boolean; outdated: boolean; unchanged: boolean }

/**
 * Creates the row, or brings it up to date. A revoked row stays as it is, and so does one whose groups the provider
 * was asked for later than these: a process that stood still does not bring old groups back. Undefined: the customer
 * does not exist. Can be repeated: the second time nothing is left to change.
 */
export const keepPerson = (database: Database, person: Person, fresh: NewRow): Promise<PersonRow | undefined> =>
  withRetry(() =>
    database.transaction(async (client) => {
      // Sign-ins of one person on two browsers take turns, and so do they with a revocation.
      await lockCustomer(client, person.customerId)
      const { rows } = await client.query<FoundRow>(findText, valuesOf(person))
      const [found] = rows
      if (!found) return insertPerson(client, person, fresh)
      if (!found.revoked && !found.outdated) await updatePerson(client, found, person)
      return { keyId: found.id, secretHash: found.secret_hash, isRevoked: found.revoked }
    }),
  )

const valuesOf = ({ customerId, issuer, subject, person, name, scopes, roles, askedAt }: Person): unknown[] => [
  customerId,
  issuer,
  subject,
  person,
  name,
  scopes,
  roles,
  askedAt,
]

const findText = `
select id, secret_hash, revoked_at is not null as revoked, groups_at > $8::timestamptz as outdated,
  (person, name, scopes, roles) is not distinct from ($4::text, $5::text, $6::text[], $7::text[]) as unchanged
from api_keys
where customer_id = $1 and issuer = $2 and subject = $3`

async function insertPerson(client: pg.PoolClient, person: Person, fresh: NewRow): Promise<PersonRow | undefined> {
  const { rows } = await client.query(
    `
insert into api_keys (customer_id, issuer, subject, person, name, scopes, roles, groups_at, id, secret_hash)
select $1::text, $2, $3, $4, $5, $6::text[], $7::text[], $8::timestamptz, $9, $10::bytea
where exists (select from customers where id = $1::text)
returning 1`,
    [...valuesOf(person), fresh.keyId, fresh.secretHash],
  )
  if (rows.length === 0) return undefined
  await recordUpdate(client, fresh.keyId, person)
  return { ...fresh, isRevoked: false }
}

async function updatePerson(
  client: pg.PoolClient,
  { id: keyId, unchanged }: Pick<FoundRow, 'id' | 'unchanged'>,
  person: Person,
): Promise<void> {
  await client.query(
    `
update api_keys
set person = $4, name = $5, scopes = $6, roles = $7, groups_at = $8,
  updated_at = case when $10 then updated_at else date_trunc('milliseconds', clock_timestamp()) end
where customer_id = $1 and issuer = $2 and subject = $3 and id = $9`,
    [...valuesOf(person), keyId, unchanged],
  )
  if (!unchanged) await recordUpdate(client, keyId, person)
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

/** With groups that the provider was asked for at a time, and that allow nothing. */
export type EndReason =
  | { readonly reason: 'signed_out_everywhere' }
  | { readonly reason: 'groups'; readonly askedAt: Date }

type Ending = EndReason & {
  readonly customerId: string
  readonly keyId: string
  /** The new one, of nothing that anyone knows. */
  readonly secretHash: Buffer
}

/**
 * Ends all sessions of the person, and all tokens. Without groups the person has no roles any more, either; unless the
 * provider was asked again since.
 */
export const endSessionsOf = (database: Database, ending: Ending): Promise<void> =>
  withRetry(() =>
    database.transaction(async (client) => {
      const { customerId, keyId, secretHash, reason } = ending
      await lockCustomer(client, customerId)
      const askedAt = ending.reason === 'groups' ? ending.askedAt : null
      const { rows } = await client.query(endText, [customerId, keyId, secretHash, askedAt])
      // An outdated answer, or the second attempt after a lost one.
      if (rows.length === 0) return
      await client.query('delete from console_sessions where key_id = $1 and customer_id = $2', [keyId, customerId])
      const by = reason === 'groups' ? operator : byPerson(keyId)
      await recordAct(client, { customerId, by, action: 'person.end_sessions', target: keyId, details: { reason } })
    }),
  )

const endText = `
update api_keys
set secret_hash = $3::bytea, roles = case when $4::timestamptz is null then roles else '{}' end,
  groups_at = coalesce($4, groups_at), updated_at = date_trunc('milliseconds', clock_timestamp())
where customer_id = $1 and id = $2 and issuer is not null and secret_hash <> $3::bytea
  and coalesce(groups_at <= $4, true)
returning 1`

/** At the console. */
export const byPerson = (keyId: string): Actor => actorOf({ keyId, sessionId: '' })
