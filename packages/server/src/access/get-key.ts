// Reads a key with what it leaves behind: what goes on when it is revoked.
import { findKeyLeaves, type KeyLeaves } from '../store/keys/key-leaves.ts'
import { findKey, type KeyRecord } from '../store/keys/keys.ts'
import type { Database } from '../store/postgres/database.ts'
import { isKeyId } from './key-id.ts'
import { keyNotFound } from './key-not-found.ts'

export interface KeyDetailRecord {
  readonly key: KeyRecord
  readonly leaves: KeyLeaves
}

export async function getKey(database: Database, customerId: string, keyId: string): Promise<KeyDetailRecord> {
  const key = isKeyId(keyId) ? await findKey(database, customerId, keyId) : undefined
  if (!key) throw keyNotFound()
  return { key, leaves: await findKeyLeaves(database, { customerId, keyId }) }
}
