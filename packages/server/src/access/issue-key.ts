// Creates an API key. A caller can grant only scopes it has, those of administrators only explicitly, and no key that
// outlives it.
import { scopes as allScopes, type CreateKey, namedScopes, type Scope } from '@runwright/contract'
import { actorOf } from '../domain/actor.ts'
import { withoutIncluded } from '../domain/granted-scopes.ts'
import { ServiceError } from '../domain/service-error.ts'
import { newWireId } from '../runtime/ids.ts'
import { newSeed } from '../runtime/secrets/derived-secret.ts'
import { insertKey, type KeyInsertion } from '../store/keys/insert-key.ts'
import type { KeyRecord } from '../store/keys/keys.ts'
import { findOnce, type Once, type Repeatable } from '../store/requests/kept-answers.ts'
import { findGranterEnd, type Granter, outlives, refuseRolesBeyond } from './granter.ts'
import { type KeyStore, secretHash, secretOf } from './key-secret.ts'

export const maxLiveKeys = 200

export interface IssuedKey {
  readonly key: KeyRecord
  /** Not stored: only a request with an idempotency key is shown it again. */
  readonly secret: string
  /** An earlier request with the same idempotency key has issued it. */
  readonly isRepeated: boolean
}

export async function issueKey(
  store: KeyStore,
  granter: Granter,
  request: CreateKey & { readonly repeatable?: Repeatable | undefined },
): Promise<IssuedKey> {
  const { customerId } = granter
  const { repeatable } = request
  // First: the rest checks whether the caller may create the key now.
  const earlier = await findOnce<KeyRecord>(store.database, customerId, repeatable)
  if (earlier) return issuedKey(store, earlier)
  const scopes = chooseScopes(granter.scopes, request.scopes)
  refuseRolesBeyond(granter, request.roles)
  const expiresAt = chooseExpiry(await findGranterEnd(store.database, granter), request.expires_at)
  const id = newWireId('key')
  const seed = newSeed()
  const newKey = {
    id,
    customerId,
    name: request.name ?? null,
    scopes,
    roles: request.roles,
    person: request.person,
    secretHash: secretHash(store.keyPepper)(id, secretOf(store.keyPepper, seed)),
    expiresAt,
  }
  const insertion = await insertKey(store.database, newKey, { maxLiveKeys, by: actorOf(granter), seed, repeatable })
  if (insertion.outcome !== 'inserted') throw refusalOf(insertion.outcome)
  return issuedKey(store, insertion)
}

export const issuedKey = ({ keyPepper }: KeyStore, { result: key, seed, isRepeated }: Once<KeyRecord>): IssuedKey => ({
  key,
  secret: secretOf(keyPepper, seed),
  isRepeated,
})

const refusalOf = (outcome: Exclude<KeyInsertion['outcome'], 'inserted'>): ServiceError =>
  outcome === 'too_many'
    ? new ServiceError(
        'LIMIT_REACHED',
        `A customer can have at most ${maxLiveKeys} keys that are neither revoked nor expired. Revoke one first.`,
      )
    : new ServiceError('KEY_PAYLOAD_INVALID', 'expires_at must be in the future.')

/** By default, the key ends with its granter. */
function chooseExpiry(granterEnd: Date | null, asked: string | undefined): Date | null {
  if (asked === undefined) return granterEnd
  const expiresAt = readExpiry(asked)
  if (!outlives(expiresAt, granterEnd)) return expiresAt
  throw new ServiceError(
    'SCOPE_DENIED',
    `The API key cannot create a key that outlives it: expires_at must not be after ${granterEnd?.toISOString()}.`,
  )
}

const isDefault = (scope: Scope): boolean => scope !== 'keys:admin' && !namedScopes.includes(scope)

function chooseScopes(own: ReadonlySet<Scope>, asked: readonly Scope[] | undefined): readonly Scope[] {
  const scopes = asked ?? withoutIncluded(allScopes.filter((scope) => own.has(scope) && isDefault(scope)))
  const beyond = scopes.filter((scope) => !own.has(scope))
  if (beyond.length > 0) {
    throw new ServiceError('SCOPE_DENIED', `The API key cannot grant scopes it does not have: ${beyond.join(', ')}.`)
  }
  if (scopes.length > 0) return scopes
  const advice = asked
    ? 'must contain at least one scope.'
    : 'is required, because the API key has no scope that is granted by default.'
  throw new ServiceError('KEY_PAYLOAD_INVALID', `scopes ${advice}`)
}

// From the year 10000 on, ISO 8601 needs a sign and more digits, which clients do not expect.
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

function readExpiry(text: string): Date {
  const expiresAt = new Date(text)
  if (expiresAt.getTime() <= lastInstant) return expiresAt
  throw new ServiceError('KEY_PAYLOAD_INVALID', 'expires_at must be before the year 10000.')
}
