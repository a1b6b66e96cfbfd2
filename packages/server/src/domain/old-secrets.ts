// How many secrets a key or webhook may have. A rotation gives it a new one, and each old one stays valid until its own
// time.
import { ServiceError } from './service-error.ts'

/** Beside the current one. Each is compared when a key is used, and each signs every message to a webhook. */
export const maxOldSecrets = 5

export interface OldSecrets {
  /** How many are still valid. */
  readonly count: number
  /** When the first of them ends. */
  readonly firstEnd: Date | null
}

/** A rotation without an overlap ends all old secrets, so it is always possible. */
export function checkOldSecrets({ count, firstEnd }: OldSecrets, overlapSeconds: number, owner: string): void {
  if (overlapSeconds === 0 || count < maxOldSecrets) return
  throw new ServiceError(
    'LIMIT_REACHED',
    `${owner} can have at most ${maxOldSecrets} old secrets that are still valid. Try again after ${firstEnd?.toISOString()}, when the first of them ends, or send overlap_seconds 0, which ends all of them.`,
  )
}
