// Creates an API key. A caller can grant only scopes it has, and `keys:admin` only explicitly.
import { scopes as allScopes, type CreateKey, type Scope } from '@runwright/contract'
import { withoutIncluded } from '../domain/granted-scopes.ts'
import { ServiceError } from '../domain/service-error.ts'
import { newWireId } from '../runtime/ids.ts'
import { insertKey, type KeyRecord } from '../store/keys/keys.ts'
import { type KeyStore, newSecret, secretHash } from './key-secret.ts'

/** Who grants the scopes: a principal, or the operator on behalf of a customer. */
export interface Granter {
  readonly customerId: string
  readonly scopes: ReadonlySet<Scope>
}

export interface IssuedKey {
  readonly key: KeyRecord
  /** Not stored, so it cannot be shown again. */
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
  if (!key) throw new ServiceError('KEY_PAYLOAD_INVALID', 'expires_at must be in the future.')
  return { key, secret }
}

function chooseScopes(own: ReadonlySet<Scope>, asked: readonly Scope[] | undefined): readonly Scope[] {
  const scopes = asked ?? withoutIncluded(allScopes.filter((scope) => own.has(scope) && scope !== 'keys:admin'))
  const beyond = scopes.filter((scope) => !own.has(scope))
  if (beyond.length > 0) {
    throw new ServiceError('SCOPE_DENIED', `The API key cannot grant scopes it does not have: ${beyond.join(', ')}.`)
  }
  if (scopes.length > 0) return scopes
  const advice = asked
    ? 'must contain at least one scope.'
    : 'is required, because the API key has only keys:admin, which is not granted by default.'
  throw new ServiceError('KEY_PAYLOAD_INVALID', `scopes ${advice}`)
}

// From the year 10000 on, ISO 8601 needs a sign and more digits, which clients do not expect.
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

function readExpiry(text: string): Date {
  const expiresAt = new Date(text)
  if (expiresAt.getTime() <= lastInstant) return expiresAt
  throw new ServiceError('KEY_PAYLOAD_INVALID', 'expires_at must be before the year 10000.')
}
