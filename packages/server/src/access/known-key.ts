// A key as authentication caches it, with times on the monotonic clock of this process.
// The database computes the remaining times, so the wall clock of this host does not matter.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { grantedScopes } from '../domain/granted-scopes.ts'
import { maxOldSecrets } from '../domain/old-secrets.ts'
import type { Principal } from '../domain/principal.ts'
import type { Credentials } from '../store/keys/credentials.ts'

export interface KnownKey {
  readonly principal: Principal
  readonly secretHash: Buffer
  /** Always as many, also if there are fewer old secrets, so that a check takes the same time for every key. */
  readonly old: readonly OldSecret[]
  readonly expiresAt: number
  readonly revoked: boolean
  /** The customer lives in another cell. */
  readonly moved: boolean
  /** How far the clock of the database is ahead of that of this process. */
  readonly databaseAheadMs: number
}

interface OldSecret {
  readonly hash: Buffer
  readonly until: number
}

const unmatched = randomBytes(32)
const noOldSecret: OldSecret = { hash: unmatched, until: Number.NEGATIVE_INFINITY }
const noOldSecrets: readonly OldSecret[] = Array.from({ length: maxOldSecrets }, () => noOldSecret)

/** Used for an id that does not exist: comparing takes the same time, and nothing matches. */
export const unknownKey: KnownKey = {
  principal: { keyId: '', keyName: null, customerId: '', scopes: new Set(), suspended: false },
  secretHash: unmatched,
  old: noOldSecrets,
  expiresAt: Number.NEGATIVE_INFINITY,
  revoked: true,
  moved: false,
  databaseAheadMs: 0,
}

export function toKnownKey(credentials: Credentials, readAt: number): KnownKey {
  const { keyId, keyName, customerId, scopes, roles, person, suspended, secretHash, expiresInMs } = credentials
  const old = credentials.old.map(({ hash, validForMs }) => ({ hash, until: readAt + validForMs }))
  return {
    principal: { keyId, keyName, customerId, scopes: grantedScopes(scopes), roles, person, suspended, secretHash },
    secretHash,
    old: [...old, ...noOldSecrets].slice(0, maxOldSecrets),
    expiresAt: readAt + (expiresInMs ?? Number.POSITIVE_INFINITY),
    revoked: credentials.revoked,
    moved: credentials.moved,
    databaseAheadMs: credentials.databaseMs - readAt,
  }
}

export function matchesSecret(key: KnownKey, hash: Buffer, now: number): boolean {
  const isCurrent = timingSafeEqual(key.secretHash, hash)
  const isOld = key.old.map((old) => timingSafeEqual(old.hash, hash) && now < old.until)
  return isCurrent || isOld.includes(true)
}

/** Why the key is no longer valid, even with the right secret. */
export function invalidReason(key: KnownKey, now: number): 'API_KEY_REVOKED' | 'API_KEY_EXPIRED' | undefined {
  if (key.revoked) return 'API_KEY_REVOKED'
  return now < key.expiresAt ? undefined : 'API_KEY_EXPIRED'
}
