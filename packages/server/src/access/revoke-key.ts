// Revokes a key permanently. Revoking it again returns the same result.
import { ServiceError } from '../domain/service-error.ts'
import { type KeyRecord, revokeKeyOnce } from '../store/keys/keys.ts'
import { isKeyId } from './key-id.ts'
import type { KeyStore } from './key-secret.ts'

export async function revokeKey(
  { database }: Pick<KeyStore, 'database'>,
  customerId: string,
  keyId: string,
): Promise<KeyRecord> {
  const key = isKeyId(keyId) ? await revokeKeyOnce(database, customerId, keyId) : undefined
  if (!key) throw new ServiceError('KEY_NOT_FOUND', 'No API key has this id.')
  return key
}
