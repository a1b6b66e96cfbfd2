// Converts a key to its wire form, and what it leaves when it is revoked.
import type { Key, KeyLeaves } from '@runwright/contract'
import { toWireId } from '../../runtime/ids.ts'
import type { KeyLeaves as KeyLeavesRecord } from '../../store/keys/key-leaves.ts'
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

/** Of a URL only the host: the rest may be a secret, and reading it needs `webhooks:admin`. */
export const toWireLeaves = ({ schedules, webhooks, keys }: KeyLeavesRecord): KeyLeaves => ({
  schedules: schedules.map(({ id, name, cron, timeZone, nextAt }) => ({
    id: toWireId('sched', id),
    name,
    cron,
    time_zone: timeZone,
    next_at: nextAt.toISOString(),
  })),
  webhooks: webhooks.map(({ id, url }) => ({ id: toWireId('hook', id), host: new URL(url).host })),
  keys: keys.map(({ id, name }) => ({ id, name })),
})
