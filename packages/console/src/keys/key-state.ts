// Whether a key works: it is revoked for ever, and expires by itself.
import type { Key } from '@runwright/contract'

export type KeyState = 'active' | 'expired' | 'revoked'

/** Revoked takes precedence, as in the answers of the service. */
export const keyStateOf = ({ revoked_at, expires_at }: Key, now: number): KeyState => {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active'
}

/** A key without a name is known by its id. */
export const keyLabel = ({ name, id }: Pick<Key, 'name' | 'id'>): string => name ?? id
