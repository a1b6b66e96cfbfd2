// Whether a user may enter a folder or run a program, read from the modes of the path: a home of mode 0700 locks out everybody but
// its owner, whatever the modes below it. Access lists are not read; a path they alone open counts as closed.
import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Account } from './account.ts'

/** The path must be real: a link's own folders would go unchecked. */
export function canReach(path: string, account: Account | undefined): boolean {
  if (account === undefined) return true
  const parent = dirname(path)
  return allows(statSync(path), account) && (parent === path || canReach(parent, account))
}

// The bit to enter a folder is the one to run a program.
function allows({ uid, gid, mode }: Stats, account: Account): boolean {
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & 0o1) === 0o1
}
