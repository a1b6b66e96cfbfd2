// Owner and mode of the folders that this process prepares for PostgreSQL. Root changes them, so a link in the place of
// a folder must not be followed.
import { closeSync, constants, fchmodSync, fchownSync, lchownSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from './account.ts'

/** Makes the folder private, to the account if there is one. Fails with ENOTDIR or ELOOP for a link. */
export function makePrivate(folder: string, account: Account | undefined): void {
  if (process.platform === 'win32') return
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    if (account !== undefined) fchownSync(descriptor, account.uid, account.gid)
    fchmodSync(descriptor, 0o700)
  } finally {
    closeSync(descriptor)
  }
}

/** A folder comes after its content: until then its new owner cannot replace an entry of it with a link. */
export function giveContentTo(account: Account, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const inner = join(folder, entry.name)
    if (entry.isDirectory()) giveContentTo(account, inner)
    lchownSync(inner, account.uid, account.gid)
  }
}
