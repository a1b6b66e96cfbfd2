// Makes an API key. Nobody can give more than they have, and `keys:admin` is given only when asked for.
import { scopes as allScopes, type CreateKey, type Scope } from '@runwright/contract'
import { ServiceError } from '../domain/service-error.ts'
import { newWireId } from '../runtime/ids.ts'
import { insertKey, type KeyRecord } from '../store/keys/keys.ts'
import { type KeyStore, newSecret, secretHash } from './key-secret.ts'

/** On whose behalf: a principal, or the operator for a customer. */
export interface Granter {
  readonly customerId: string
  readonly scopes: ReadonlySet<Scope>
}

export interface IssuedKey {
  readonly key: KeyRecord
  /** Not to be had again. */
  readonly secret: string
}

export async function issueKey(store: KeyStore, granter: Granter, request: CreateKey): Promise<IssuedKey> {
  const scopes = chooseScopes(granter.scopes, request.scopes)
  const expiresAt = request.expires_at === undefined ? null : readExpiry(request.expires_at)
  const id = newWireId('key')
  const secret = newSecret()
  const key = await insertKey(store.database, {
    id,
    customerId: granter.customerId,
    name: request.name ?? null,
    scopes,
    secretHash: secretHash(store.keyPepper)(id, secret),
    expiresAt,
  })
  if (!key) throw new ServiceError('KEY_PAYLOAD_INVALID', 'expires_at must lie in the future.')
  return { key, secret }
}

function chooseScopes(own: ReadonlySet<Scope>, asked: readonly Scope[] | undefined): readonly Scope[] {
  const scopes = asked ?? allScopes.filter((scope) => own.has(scope) && scope !== 'keys:admin')
  const beyond = scopes.filter((scope) => !own.has(scope))
  if (beyond.length > 0) {
    throw new ServiceError('SCOPE_DENIED', `This key lacks ${beyond.join(', ')}, so it cannot grant it.`)
  }
  if (scopes.length > 0) return scopes
  const advice = asked
    ? 'must name at least one scope.'
    : 'is required: this key has only keys:admin, which must be named.'
  throw new ServiceError('KEY_PAYLOAD_INVALID', `scopes ${advice}`)
}

// From the year 10000 on, ISO 8601 needs a sign and more digits, which clients rightly don't expect.
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

function readExpiry(text: string): Date {
  const expiresAt = new Date(text)
  if (expiresAt.getTime() <= lastInstant) return expiresAt
  throw new ServiceError('KEY_PAYLOAD_INVALID', 'expires_at must lie before the year 10000.')
}
