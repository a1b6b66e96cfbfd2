// Finds and reads the files of a folder that a setting names. A link in it may lead to a file of the same folder, as in
// volumes of Kubernetes, but not out of it: a user who can add a link must not choose what the
// service reads.
import { constants, type Stats } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

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
  throw Object.assign(new Error('not a regular file'), { code: stats.isDirectory() ? 'EISDIR' : 'EINVAL' })
}

export async function readInFolder(folder: string, name: string): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(await pathInFolder(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    requireFile(await file.stat())
    return await file.readFile()
  } finally {
    await file.close()
  }
}
