// Who decides with a decision link: the person that it names, with their key as it is now. A link ends with the key of
// the person, and with the key and the secret that made it. Read from the database each time: links are opened seldom.
import { createHash } from 'node:crypto'
import type { Actor } from '../../domain/actor.ts'
import { grantedScopes } from '../../domain/granted-scopes.ts'
import { type Credentials, findCredentials } from '../../store/keys/credentials.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { LinkClaims, LinkForm } from './link-form.ts'

interface LinkSource {
  readonly database: Database
  readonly form: LinkForm
}

export type LinkHolder =
  | { readonly kind: 'person'; readonly by: Actor }
  /** `moved`: the customer lives in another cell. */
  | { readonly kind: 'expired' | 'revoked' | 'suspended' | 'moved' }

export async function findLinkHolder({ database, form }: LinkSource, claims: LinkClaims): Promise<LinkHolder> {
  const found = await findCredentials(database, [...new Set([claims.makerKeyId, claims.personKeyId])])
  const [maker, person] = [found.get(claims.makerKeyId), found.get(claims.personKeyId)]
  if (!maker || !person || !isOfCustomer(maker, claims) || !isOfCustomer(person, claims)) return { kind: 'revoked' }
  if (maker.moved) return { kind: 'moved' }
  if (maker.databaseMs >= claims.expiresAtMs) return { kind: 'expired' }
  const mayMake = isLive(maker) && grantedScopes(maker.scopes).has('links:create') && hasSecret(maker, claims, form)
  const maySignal = isLive(person) && grantedScopes(person.scopes).has('runs:signal') && person.person === claims.person
  if (!mayMake || !maySignal) return { kind: 'revoked' }
  return maker.suspended ? { kind: 'suspended' } : { kind: 'person', by: actorOf(person, claims) }
}

/** One answer of a person by link for each wait, also if they have several links for it. No client can send it. */
export const linkIdempotencyKey = ({ awaitSeq, person }: LinkClaims): string =>
  `§link ${awaitSeq} ${createHash('sha256').update(person).digest('base64url')}`

const isOfCustomer = ({ customerId }: Credentials, claims: LinkClaims): boolean => customerId === claims.customerId

const isLive = ({ revoked, expiresInMs }: Credentials): boolean => !revoked && (expiresInMs === null || expiresInMs > 0)

function hasSecret({ secretHash, old }: Credentials, { makerMark }: LinkClaims, form: LinkForm): boolean {
  const valid = [secretHash, ...old.filter(({ validForMs }) => validForMs > 0).map(({ hash }) => hash)]
  return valid.some((hash) => form.markOf(hash) === makerMark)
}

/** The roles are those of the key in the moment in which the answer is written. */
const actorOf = ({ keyId, keyName, person, roles }: Credentials, { makerKeyId }: LinkClaims): Actor => ({
  keyId,
  keyName,
  person,
  roles,
  rolesFrom: 'key',
  via: 'link',
  linkMadeBy: makerKeyId,
})
