// The secret of an API key: generated or derived here, and stored only as a keyed hash.
import { randomBytes } from 'node:crypto'
import { deriveSecret } from '../runtime/secrets/derived-secret.ts'
import { keyedHash } from '../runtime/secrets/keyed-hash.ts'
import type { Database } from '../store/postgres/database.ts'

/** What creating and changing keys needs. */
export interface KeyStore {
  readonly database: Database
  readonly keyPepper: Buffer
}

export type SecretHash = (keyId: string, secret: string) => Buffer

export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The secret that a seed leads to. A repeated request is shown it again, although it is not stored. */
export const secretOf = (keyPepper: Buffer, seed: Buffer): string =>
  deriveSecret(keyPepper, 'secret of an api key')(seed).toString('base64url')

/** The hash includes the key id, so that a hash copied to another row is useless. An id contains no colon. */
export function secretHash(keyPepper: Buffer): SecretHash {
  const hash = keyedHash(keyPepper, 'api key')
  return (keyId, secret) => hash(`${keyId}:${secret}`)
}
