// The PostgreSQL programs: from the npm package of this platform, or from a copy when the package cannot be used (the
// user that PostgreSQL runs as cannot read it, or library links are missing and its folder is read-only).
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { canReach } from '../site/can-reach.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import type { Site } from '../site/site.ts'
import { copyBinaries } from './copy-binaries.ts'
import { makeLibraryLinks } from './library-links.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  readonly pgCtl: string
  readonly major: number
}

export function prepareBinaries(site: Site, packageDir = findPackage()): Binaries {
  const version = readVersion(packageDir)
  const inPlace = canReach(programsIn(packageDir).postgres, site.account) && makeLibraryLinks(packageDir)
  const usable = inPlace ? packageDir : copyBinaries({ packageDir, version, site })
  return { ...programsIn(usable), major: Number.parseInt(version, 10) }
}

/** The folder of the platform's package. `packageName` is a parameter so that the error can be tested. */
export function findPackage(packageName = packageOfPlatform()): string {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName)
    return realpathSync(join(dirname(entry), '..'))
  } catch {
    throw new EmbeddedPostgresError(
      `The npm package ${packageName} with the PostgreSQL programs is not installed. Install it, or set DATABASE_URL to another PostgreSQL.`,
    )
  }
}

function packageOfPlatform(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return `@embedded-postgres/${system}-${process.arch}`
}

function readVersion(packageDir: string): string {
  return JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).version
}

function programsIn(packageDir: string): Omit<Binaries, 'major'> {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => join(packageDir, 'native', 'bin', name + suffix)
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') }
}
