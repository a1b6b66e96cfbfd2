// Whether a user may enter a folder or run a program, according to the modes along the path: a home folder of mode 0700
// excludes all other users, whatever the modes below it. Access lists are not read; a path that only they open counts
// as closed.
import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Account } from './account.ts'

/** The path must be resolved: the folders of a link's target would not be checked. */
export function canReach(path: string, account: Account | undefined): boolean {
  if (account === undefined) return true
  const parent = dirname(path)
  return allows(statSync(path), account) && (parent === path || canReach(parent, account))
}

// The same bit allows to enter a folder and to run a program.
function allows({ uid, gid, mode }: Stats, account: Account): boolean {
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & 0o1) === 0o1
}
