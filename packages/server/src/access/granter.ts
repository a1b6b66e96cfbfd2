// Who creates and rotates keys: a principal, or the operator on behalf of a customer. No key hands on more than it has:
// neither scopes nor time.
import type { Scope } from '@runwright/contract'
import type { Caller } from '../domain/actor.ts'
import { ServiceError } from '../domain/service-error.ts'
import { findKeyEnd } from '../store/keys/key-end.ts'
import type { Database } from '../store/postgres/database.ts'

/** Without a key, it is the operator. */
export interface Granter extends Caller {
  readonly customerId: string
  readonly scopes: ReadonlySet<Scope>
  readonly secretHash?: Buffer
  readonly hasOldSecret?: boolean
}

/**
 * When the granter ends; null: never. Read from the database, because the cache of keys may not know yet that the key
 * was revoked: it must not create its successor meanwhile. An old secret ends with its overlap. Otherwise a leaked
 * secret could get a new one after the rotation that was to stop it.
 */
export async function findGranterEnd(database: Database, granter: Granter): Promise<Date | null> {
  const { customerId, keyId } = granter
  if (keyId === undefined) return null
  const end = await findKeyEnd(database, { customerId, keyId, oldSecretHash: oldSecretHashOf(granter) })
  if (!end || end.isRevoked) throw new ServiceError('API_KEY_REVOKED', 'The API key is revoked.')
  if (end.isPast) throw new ServiceError('API_KEY_EXPIRED', 'The API key has expired.')
  return end.at
}

/** Undefined if the caller has used the current secret of its key. */
export const oldSecretHashOf = ({
  hasOldSecret,
  secretHash,
}: Pick<Granter, 'hasOldSecret' | 'secretHash'>): Buffer | undefined => (hasOldSecret ? secretHash : undefined)

/** Only the operator grants roles that the caller does not have itself. */
export function refuseRolesBeyond(granter: Granter, roles: readonly string[] | undefined): void {
  const beyond = rolesBeyond(granter, roles ?? [])
  if (beyond.length === 0) return
  throw new ServiceError(
    'SCOPE_DENIED',
    `The API key cannot grant roles it does not have: ${beyond.join(', ')}. The operator can, with runwright keys create --role.`,
  )
}

export const rolesBeyond = ({ keyId, roles: own = [] }: Granter, roles: readonly string[]): readonly string[] =>
  keyId === undefined ? [] : roles.filter((role) => !own.includes(role))

/** Null means never. */
export const outlives = (expiresAt: Date | null, end: Date | null): boolean =>
  end !== null && (expiresAt === null || expiresAt > end)
