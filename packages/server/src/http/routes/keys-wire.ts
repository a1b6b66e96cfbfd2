// Converts a key to its wire form, what it leaves when it is revoked, and the cursor of the list of keys.
import type { Key, KeyLeaves } from '@runwright/contract'
import { isKeyId } from '../../access/key-id.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { KeyLeaves as KeyLeavesRecord } from '../../store/keys/key-leaves.ts'
import type { KeyPosition, KeyRecord } from '../../store/keys/keys.ts'
import { badCursor } from '../answers/list-page.ts'

export const toWireKey = (key: KeyRecord): Key => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  roles: [...key.roles],
  person: key.person,
  signs_in: key.signsIn === true,
  created_at: key.createdAt.toISOString(),
  updated_at: key.updatedAt.toISOString(),
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

export const keyCursorOf = ({ createdAt, id }: KeyRecord): string =>
  Buffer.from(`${createdAt.getTime()}:${id}`).toString('base64url')

export function keyPositionOf(cursor: string): KeyPosition {
  const [, createdAtMs, id = ''] = /^(\d{1,15}):(.*)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (!isKeyId(id)) throw badCursor('KEY_PAYLOAD_INVALID')
  return { createdAtMs: Number(createdAtMs), id }
}
