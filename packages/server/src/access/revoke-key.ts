// Revokes a key permanently. Revoking it again returns the same result.
import { actorOf } from '../domain/actor.ts'
import { type KeyRecord, revokeKeyOnce } from '../store/keys/keys.ts'
import type { Granter } from './granter.ts'
import { isKeyId } from './key-id.ts'
import { keyNotFound } from './key-not-found.ts'
import type { KeyStore } from './key-secret.ts'

export async function revokeKey(
  { database }: Pick<KeyStore, 'database'>,
  revoker: Pick<Granter, 'customerId' | 'keyId' | 'sessionId'>,
  keyId: string,
): Promise<KeyRecord> {
  const { customerId } = revoker
  const revocation = { customerId, id: keyId, by: actorOf(revoker) }
  const key = isKeyId(keyId) ? await revokeKeyOnce(database, revocation) : undefined
  if (!key) throw keyNotFound()
  return key
}
