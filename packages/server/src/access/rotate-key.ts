// Gives a key a new secret. The old one stays valid for the overlap, so that its users can be switched one by one.
import { ServiceError } from '../domain/service-error.ts'
import { findLiveKey, rotateLiveKey } from '../store/keys/keys.ts'
import type { Granter, IssuedKey } from './issue-key.ts'
import { isKeyId } from './key-id.ts'
import { type KeyStore, newSecret, secretHash } from './key-secret.ts'

export const defaultOverlapSeconds = 3_600

interface RotationRequest {
  readonly keyId: string
  readonly overlapSeconds: number | undefined
}

const notFound = () => new ServiceError('KEY_NOT_FOUND', 'No API key has this id, or it is revoked or expired.')

export async function rotateKey(store: KeyStore, granter: Granter, request: RotationRequest): Promise<IssuedKey> {
  const { keyId, overlapSeconds = defaultOverlapSeconds } = request
  await refuseMoreScopes(store, granter, keyId)
  const secret = newSecret()
  const key = await rotateLiveKey(store.database, {
    id: keyId,
    customerId: granter.customerId,
    secretHash: secretHash(store.keyPepper)(keyId, secret),
    overlapSeconds,
  })
  if (!key) throw notFound()
  return { key, secret }
}

// Rotating a key with more scopes would bypass the rule that a caller can grant only scopes it has.
// Scopes never change, so this check cannot become outdated before the rotation.
async function refuseMoreScopes({ database }: KeyStore, granter: Granter, keyId: string): Promise<void> {
  const key = isKeyId(keyId) ? await findLiveKey(database, granter.customerId, keyId) : undefined
  if (!key) throw notFound()
  const beyond = key.scopes.filter((scope) => !granter.scopes.has(scope))
  if (beyond.length === 0) return
  throw new ServiceError(
    'SCOPE_DENIED',
    `The API key cannot rotate a key that has scopes it does not have: ${beyond.join(', ')}.`,
  )
}
