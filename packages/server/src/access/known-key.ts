// A key as authentication caches it, with times on the monotonic clock of this process.
// The database computes the remaining times, so the wall clock of this host does not matter.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { grantedScopes } from '../domain/granted-scopes.ts'
import type { Principal } from '../domain/principal.ts'
import type { Credentials } from '../store/keys/credentials.ts'

export interface KnownKey {
  readonly principal: Principal
  readonly secretHash: Buffer
  /** Also set if there is no previous secret, so that a check takes the same time for every key. */
  readonly previousHash: Buffer
  readonly previousUntil: number
  readonly expiresAt: number
  readonly revoked: boolean
  /** The customer lives in another cell. */
  readonly moved: boolean
}

const unmatched = randomBytes(32)

/** Used for an id that does not exist: comparing takes the same time, and nothing matches. */
export const unknownKey: KnownKey = {
  principal: { keyId: '', keyName: null, customerId: '', scopes: new Set(), suspended: false },
  secretHash: unmatched,
  previousHash: unmatched,
  previousUntil: Number.NEGATIVE_INFINITY,
  expiresAt: Number.NEGATIVE_INFINITY,
  revoked: true,
  moved: false,
}

export function toKnownKey(credentials: Credentials, readAt: number): KnownKey {
  const { keyId, keyName, customerId, scopes, suspended, previous, expiresInMs } = credentials
  return {
    principal: { keyId, keyName, customerId, scopes: grantedScopes(scopes), suspended },
    secretHash: credentials.secretHash,
    previousHash: previous?.hash ?? unmatched,
    previousUntil: readAt + (previous?.validForMs ?? Number.NEGATIVE_INFINITY),
    expiresAt: readAt + (expiresInMs ?? Number.POSITIVE_INFINITY),
    revoked: credentials.revoked,
    moved: credentials.moved,
  }
}

export function matchesSecret(key: KnownKey, hash: Buffer, now: number): boolean {
  const isCurrent = timingSafeEqual(key.secretHash, hash)
  const isPrevious = timingSafeEqual(key.previousHash, hash)
  return isCurrent || (isPrevious && now < key.previousUntil)
}

/** Why the key is no longer valid, even with the right secret. */
export function invalidReason(key: KnownKey, now: number): 'API_KEY_REVOKED' | 'API_KEY_EXPIRED' | undefined {
  if (key.revoked) return 'API_KEY_REVOKED'
  return now < key.expiresAt ? undefined : 'API_KEY_EXPIRED'
}
