// A copy of the PostgreSQL programs that the user who runs them can read: in the data folder, else in the host's cache,
// else in the temporary folder. It is created under another name and renamed, so an existing copy is complete.
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canReach } from '../site/can-reach.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import type { Site } from '../site/site.ts'
import { makeLibraryLinks } from './library-links.ts'

interface CopyRequest {
  readonly packageDir: string
  readonly version: string
  readonly site: Site
}

/** Returns a folder with the layout of the package. */
export function copyBinaries({ packageDir, version, site }: CopyRequest): string {
  for (const parent of [site.dataDir, '/var/cache', tmpdir()]) {
    const copy = join(
      parent,
      parent === site.dataDir ? `postgres-binaries-${version}` : `runwright-postgres-${version}`,
    )
    if (!isOpenTo(site, parent)) continue
    if (isTrusted(copy, site) || makeCopy({ packageDir, copy, site })) return copy
  }
  throw new EmbeddedPostgresError(
    `The user that PostgreSQL runs as cannot read the programs in ${packageDir}, and there is no writable folder for a copy. Move the installation out of the private home folder, or set DATABASE_URL.`,
  )
}

function isOpenTo(site: Site, parent: string): boolean {
  return statSync(parent, { throwIfNoEntry: false }) !== undefined && canReach(parent, site.account)
}

// Every user can write to the temporary folder: programs that another user put there must never be run.
function isTrusted(copy: string, { account }: Site): boolean {
  const stat = lstatSync(copy, { throwIfNoEntry: false })
  if (!stat?.isDirectory() || (stat.mode & 0o022) !== 0) return false
  return [0, process.getuid?.(), account?.uid].includes(stat.uid)
}

interface Copying {
  readonly packageDir: string
  readonly copy: string
  readonly site: Site
}

function makeCopy({ packageDir, copy, site }: Copying): boolean {
  const aside = findPlaceAside(copy)
  if (aside === undefined) return false
  try {
    copyFolder(join(packageDir, 'native'), join(aside, 'native'))
    makeLibraryLinks(aside)
    chmodSync(aside, 0o755)
    renameSync(aside, copy)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOSPC') return false
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return isTrusted(copy, site)
    throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function findPlaceAside(copy: string): string | undefined {
  try {
    return mkdtempSync(`${copy}.`)
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

const notNeededToRun = /\.a$|^pkgconfig$|^pgxs$/

// Not fs.cp: it creates folders by the umask, which may exclude other users.
function copyFolder(from: string, to: string): void {
  mkdirSync(to)
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (notNeededToRun.test(entry.name)) continue
    if (entry.isDirectory()) copyFolder(join(from, entry.name), join(to, entry.name))
    else if (entry.isFile()) copyFile(join(from, entry.name), join(to, entry.name))
  }
}

function copyFile(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}
