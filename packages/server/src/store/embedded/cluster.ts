// The cluster: the folder of PostgreSQL's data. Created at the first start; checked at later starts.
import { chmodSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Account } from './account.ts'
import { createCluster, type NewCluster } from './create-cluster.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import { errorCode } from './error-code.ts'
import type { Site } from './site.ts'

export async function ensureCluster(request: NewCluster): Promise<void> {
  const { site, binaries } = request
  const major = findMajor(site.clusterDir)
  if (major === undefined) {
    refuseOtherContent(site.clusterDir)
    await createCluster(request)
  } else if (major !== binaries.major) throw otherMajor(site, major, binaries.major)
  putInOrder(site)
}

function findMajor(clusterDir: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8'), 10)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function refuseOtherContent(clusterDir: string): void {
  if (statSync(clusterDir, { throwIfNoEntry: false }) === undefined) return
  if (readdirSync(clusterDir).length === 0) return
  throw new EmbeddedPostgresError(
    `${clusterDir} contains files but no PostgreSQL database. Move the folder away, and Runwright creates a new database there.`,
  )
}

function otherMajor(site: Site, found: number, installed: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${site.clusterDir} was created by PostgreSQL ${found} and cannot be opened by the installed PostgreSQL ${installed}. Move its content with pg_dump of version ${found}, or set DATABASE_URL to a PostgreSQL ${found}.`,
  )
}

// PostgreSQL requires both. A copy that root restored from a backup has neither.
function putInOrder({ clusterDir, account }: Site): void {
  const stat = statSync(clusterDir)
  if (account !== undefined && stat.uid === 0) giveTo(account, clusterDir)
  if (process.platform !== 'win32' && (stat.mode & 0o777) !== 0o700) chmodSync(clusterDir, 0o700)
}

function giveTo(account: Account, path: string): void {
  lchownSync(path, account.uid, account.gid)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) giveTo(account, inner)
    else lchownSync(inner, account.uid, account.gid)
  }
}
