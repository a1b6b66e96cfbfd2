// Reads a file of the data folder. Another user may be able to write to that folder, so a link in it must not lead the
// service, which may be root, to a file elsewhere.
import { constants, type Stats } from 'node:fs'
import { readFoundFile } from './bounded-file.ts'

/** Fails with ELOOP for a link, and with EINVAL for anything else that is not a regular file. */
export function readOwnFile(path: string): string {
  return readChecked(path, () => undefined)
}

/** Also fails, with EPERM, if other users can read the file. Windows has no such bits, so there it cannot tell. */
export function readPrivateFile(path: string): string {
  return readChecked(path, ({ mode }) => {
    if (process.platform === 'win32' || (mode & 0o077) === 0) return
    throw Object.assign(new Error(`${path} can be read by other users`), { code: 'EPERM' })
  })
}

const maxBytes = 1024 * 1024

function readChecked(path: string, check: (stats: Stats) => void): string {
  return readFoundFile(path, { maxBytes, flags: constants.O_NOFOLLOW ?? 0, check }).toString('utf8')
}
