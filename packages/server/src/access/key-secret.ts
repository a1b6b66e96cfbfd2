// The secret half of an API key: made here, and from then on known to the service only as a keyed hash.
import { randomBytes } from 'node:crypto'
import { keyedHash } from '../runtime/keyed-hash.ts'
import type { Database } from '../store/postgres/database.ts'

/** What making and changing keys needs. */
export interface KeyStore {
  readonly database: Database
  readonly keyPepper: Buffer
}

export type SecretHash = (keyId: string, secret: string) => Buffer

export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The key's id goes into the hash, so that a hash moved to another row opens nothing. An id holds no colon. */
export function secretHash(keyPepper: Buffer): SecretHash {
  const hash = keyedHash(keyPepper, 'api key')
  return (keyId, secret) => hash(`${keyId}:${secret}`)
}
