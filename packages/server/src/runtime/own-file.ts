// Reads a file of the data folder. Another user may be able to write to that folder, so a link in it must not lead the
// service, which may be root, to a file elsewhere.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Fails with ELOOP for a link, and with EINVAL for anything else that is not a regular file. */
export function readOwnFile(path: string): string {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (!fstatSync(file).isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'EINVAL' })
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
