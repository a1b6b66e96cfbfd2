// A key as authentication holds it in memory, with its times on this process's monotonic clock.
// What is left of a time comes from the database's clock, so neither a wrong host clock nor one that is set back matters.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Principal } from '../domain/principal.ts'
import type { Credentials } from '../store/keys/credentials.ts'

export interface KnownKey {
  readonly principal: Principal
  readonly secretHash: Buffer
  /** Always there to be compared, whether or not there is a previous secret: the work is the same for every key. */
  readonly previousHash: Buffer
  readonly previousUntil: number
  readonly expiresAt: number
  readonly revoked: boolean
}

const unmatched = randomBytes(32)

/** Stands in for an id that no key has: comparing with it takes as long, and nothing matches. */
export const nobody: KnownKey = {
  principal: { keyId: '', customerId: '', scopes: new Set(), suspended: false },
  secretHash: unmatched,
  previousHash: unmatched,
  previousUntil: Number.NEGATIVE_INFINITY,
  expiresAt: Number.NEGATIVE_INFINITY,
  revoked: true,
}

export function toKnownKey(credentials: Credentials, readAt: number): KnownKey {
  const { keyId, customerId, scopes, suspended, previous, expiresInMs } = credentials
  return {
    principal: { keyId, customerId, scopes: new Set(scopes), suspended },
    secretHash: credentials.secretHash,
    previousHash: previous?.hash ?? unmatched,
    previousUntil: readAt + (previous?.validForMs ?? Number.NEGATIVE_INFINITY),
    expiresAt: readAt + (expiresInMs ?? Number.POSITIVE_INFINITY),
    revoked: credentials.revoked,
  }
}

export function opens(key: KnownKey, hash: Buffer, now: number): boolean {
  const isCurrent = timingSafeEqual(key.secretHash, hash)
  const isPrevious = timingSafeEqual(key.previousHash, hash)
  return isCurrent || (isPrevious && now < key.previousUntil)
}

/** Why a key does not count any more, whoever presents it. */
export function endOf(key: KnownKey, now: number): 'API_KEY_REVOKED' | 'API_KEY_EXPIRED' | undefined {
  if (key.revoked) return 'API_KEY_REVOKED'
  return now < key.expiresAt ? undefined : 'API_KEY_EXPIRED'
}
