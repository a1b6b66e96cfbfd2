// Converts a key to its wire form.
import type { Key } from '@runwright/contract'
import type { KeyRecord } from '../../store/keys/keys.ts'

export const toWireKey = (key: KeyRecord): Key => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
})
