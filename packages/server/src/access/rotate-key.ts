// Gives a key a new secret. The old one stays valid for the overlap, so that its users can be switched one by one.
// Older ones stay valid until their own time.
import { actorOf } from '../domain/actor.ts'
import { ServiceError } from '../domain/service-error.ts'
import { newSeed } from '../runtime/secrets/derived-secret.ts'
import { findLiveKey, type KeyRecord, rotateLiveKey } from '../store/keys/keys.ts'
import { findOnce, type Repeatable } from '../store/requests/kept-answers.ts'
import { findGranterEnd, type Granter, outlives, refuseRolesBeyond, rolesBeyond } from './granter.ts'
import { type IssuedKey, issuedKey } from './issue-key.ts'
import { isKeyId } from './key-id.ts'
import { type KeyStore, secretHash, secretOf } from './key-secret.ts'

export const defaultOverlapSeconds = 3_600

interface RotationRequest {
  readonly keyId: string
  readonly overlapSeconds: number | undefined
  /** Left out: as before. */
  readonly roles?: readonly string[] | undefined
  readonly repeatable?: Repeatable | undefined
}

const notFound = () => new ServiceError('KEY_NOT_FOUND', 'No API key has this id, or it is revoked or expired.')

export async function rotateKey(store: KeyStore, granter: Granter, request: RotationRequest): Promise<IssuedKey> {
  const { keyId, overlapSeconds = defaultOverlapSeconds, roles, repeatable } = request
  const { customerId } = granter
  const { database, keyPepper } = store
  // First: a key that rotates itself repeats the request with its old secret, which may rotate nothing any more.
  const earlier = await findOnce<KeyRecord>(database, customerId, repeatable)
  if (earlier) return issuedKey(store, earlier)
  refuseOldSecret(granter, keyId)
  refuseRolesBeyond(granter, roles)
  await refuseStrongerKey(store, granter, keyId)
  const seed = newSeed()
  const rotated = await rotateLiveKey(database, {
    id: keyId,
    customerId,
    secretHash: secretHash(keyPepper)(keyId, secretOf(keyPepper, seed)),
    overlapSeconds,
    roles,
    by: actorOf(granter),
    seed,
    repeatable,
  })
  if (!rotated) throw notFound()
  return issuedKey(store, rotated)
}

// Otherwise a leaked secret could take the key over after the rotation that was to stop it.
function refuseOldSecret(granter: Granter, keyId: string): void {
  if (!granter.hasOldSecret || granter.keyId !== keyId) return
  throw new ServiceError('SCOPE_DENIED', 'The API key cannot rotate itself with its old secret. Use the new one.')
}

// Rotating a key with more scopes, other roles or a later expiry would bypass the rule that a caller hands on only what
// it has. Scopes and expiry never change; roles only when the key is rotated, by a caller that has them all.
async function refuseStrongerKey({ database }: KeyStore, granter: Granter, keyId: string): Promise<void> {
  const key = isKeyId(keyId) ? await findLiveKey(database, granter.customerId, keyId) : undefined
  if (!key) throw notFound()
  if (key.signsIn) throw hasNoSecret()
  const beyond = key.scopes.filter((scope) => !granter.scopes.has(scope))
  if (beyond.length > 0) throw denied(`has scopes it does not have: ${beyond.join(', ')}`)
  const roles = rolesBeyond(granter, key.roles)
  if (roles.length > 0) throw denied(`has roles it does not have: ${roles.join(', ')}`)
  const end = await findGranterEnd(database, granter)
  if (outlives(key.expiresAt, end)) throw denied(`is valid longer than itself: this one ends at ${end?.toISOString()}`)
}

const hasNoSecret = () =>
  new ServiceError('KEY_NOT_FOUND', 'This is a person who signs in: there is no secret to rotate. Revoke it instead.')

const denied = (key: string) => new ServiceError('SCOPE_DENIED', `The API key cannot rotate a key that ${key}.`)
