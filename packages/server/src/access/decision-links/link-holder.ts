// Who decides with a decision link: the person that it names, with their key as it is now, or the role that it names. A
// link ends with the key of the person, and with the key and the secret that made it. Read from the database each time:
// links are opened seldom.
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
  | { readonly kind: 'valid'; readonly by: Actor }
  /** `moved`: the customer lives in another cell. */
  | { readonly kind: 'expired' | 'revoked' | 'suspended' | 'moved' }

export async function findLinkHolder({ database, form }: LinkSource, claims: LinkClaims): Promise<LinkHolder> {
  const { decider, makerKeyId } = claims
  const keyIds = decider.kind === 'person' ? [makerKeyId, decider.keyId] : [makerKeyId]
  const found = await findCredentials(database, [...new Set(keyIds)])
  const maker = found.get(makerKeyId)
  if (!maker || !isOfCustomer(maker, claims)) return { kind: 'revoked' }
  if (maker.moved) return { kind: 'moved' }
  if (maker.databaseMs >= claims.expiresAtMs) return { kind: 'expired' }
  const mayMake = isLive(maker) && grantedScopes(maker.scopes).has('links:create') && hasSecret(maker, claims, form)
  const by = decider.kind === 'person' ? asPerson(found.get(decider.keyId), claims) : asRole(maker, decider.role)
  if (!mayMake || !by) return { kind: 'revoked' }
  return maker.suspended ? { kind: 'suspended' } : { kind: 'valid', by }
}

/** One answer of a person or a role by link for each wait, also if there are several links. No client can send it. */
export function linkIdempotencyKey({ awaitSeq, decider }: LinkClaims): string {
  const name = decider.kind === 'person' ? decider.person : decider.role
  return `§link ${awaitSeq} ${decider.kind} ${createHash('sha256').update(name).digest('base64url')}`
}

const isOfCustomer = ({ customerId }: Credentials, claims: LinkClaims): boolean => customerId === claims.customerId

const isLive = ({ revoked, expiresInMs }: Credentials): boolean => !revoked && (expiresInMs === null || expiresInMs > 0)

function hasSecret({ secretHash, old }: Credentials, { makerMark }: LinkClaims, form: LinkForm): boolean {
  const valid = [secretHash, ...old.filter(({ validForMs }) => validForMs > 0).map(({ hash }) => hash)]
  return valid.some((hash) => form.markOf(hash) === makerMark)
}

/** The roles are those of the key in the moment in which the answer is written. */
function asPerson(key: Credentials | undefined, { decider, makerKeyId, customerId }: LinkClaims): Actor | undefined {
  if (!key || key.customerId !== customerId || !isLive(key) || !grantedScopes(key.scopes).has('runs:signal'))
    return undefined
  const { keyId, keyName, person, roles } = key
  if (decider.kind !== 'person' || person !== decider.person) return undefined
  return { keyId, keyName, person, roles, rolesFrom: 'key', via: 'link', linkMadeBy: makerKeyId }
}

/** The answer is that of the key which made the link, with this role only, whatever its own ones are. */
const asRole = ({ keyId, keyName }: Credentials, role: string): Actor => ({
  keyId,
  keyName,
  person: null,
  roles: [role],
  rolesFrom: 'identity',
  via: 'link',
  linkMadeBy: keyId,
})
