// Takes a key out of use for good. Asked again, it says the same: revoked, and when.
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
  if (!key) throw new ServiceError('KEY_NOT_FOUND', 'There is no such key.')
  return key
}
