// The library links of the PostgreSQL package. Its post-install script would create them, but scripts of dependencies
// do not run here.
import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { errorCode } from '../site/error-code.ts'

interface Link {
  readonly source: string
  readonly target: string
}

/** Creates missing links below `packageDir`; false when the folder is read-only. */
export function makeLibraryLinks(packageDir: string): boolean {
  try {
    for (const link of readLinks(packageDir)) makeLink(packageDir, link)
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

function readLinks(packageDir: string): Link[] {
  try {
    return JSON.parse(readFileSync(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

function makeLink(packageDir: string, { source, target }: Link): void {
  if (lstatSync(join(packageDir, target), { throwIfNoEntry: false }) !== undefined) return
  try {
    symlinkSync(relative(dirname(target), source), join(packageDir, target))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
