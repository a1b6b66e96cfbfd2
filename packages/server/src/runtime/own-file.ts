// Reads a file of the data folder. Another user may be able to write to that folder, so a link in it must not lead the
// service, which may be root, to a file elsewhere.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

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

function readChecked(path: string, check: (stats: Stats) => void): string {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'EINVAL' })
    check(stats)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
