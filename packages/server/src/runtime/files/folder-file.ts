// Finds and reads the files of a folder that a setting names. A link in it may lead to a file of the same folder, as in
// volumes of Kubernetes, but not out of it: a user who can add a link must not choose what the
// service reads.
import { constants, type Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileError, readFoundFile } from './bounded-file.ts'

/** Completes a sentence that names the file. */
export class LinkLeadsOut extends Error {
  override readonly name = 'LinkLeadsOut'

  constructor() {
    super('the file is a link that leads out of the folder; copy the file into it')
  }
}

/** The path of a regular file, without links. Rejects with `LinkLeadsOut`, or with the error of the system. */
export async function pathInFolder(folder: string, name: string): Promise<string> {
  const [inside, target] = await Promise.all([realpath(folder), realpath(join(folder, name))])
  if (!target.startsWith(inside.endsWith(sep) ? inside : `${inside}${sep}`)) throw new LinkLeadsOut()
  requireFile(await stat(target))
  return target
}

/** Reading a named pipe would wait for a writer. */
function requireFile(stats: Stats): void {
  if (stats.isFile()) return
  throw fileError(stats.isDirectory() ? 'EISDIR' : 'EINVAL', 'is not a regular file')
}

/** Fails with EFBIG if the file is too large. */
export async function readInFolder(
  folder: string,
  name: string,
  { maxBytes }: { readonly maxBytes: number },
): Promise<Buffer> {
  return readFoundFile(await pathInFolder(folder, name), { maxBytes, flags: constants.O_NOFOLLOW ?? 0 })
}
