// The cluster: the folder of PostgreSQL's data. Created at the first start; checked at later starts.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '../../../runtime/files/own-file.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import { giveContentTo, makePrivate } from '../site/own-folder.ts'
import { refuseLink, type Site } from '../site/site.ts'
import { createCluster, type NewCluster } from './create-cluster.ts'

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
    return Number.parseInt(readOwnFile(join(clusterDir, 'PG_VERSION')), 10)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function refuseOtherContent(clusterDir: string): void {
  if (lstatSync(clusterDir, { throwIfNoEntry: false }) === undefined) return
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
  refuseLink(clusterDir)
  const { uid, mode } = lstatSync(clusterDir)
  const changesOwner = account !== undefined && uid === 0
  if (changesOwner) giveContentTo(account, clusterDir)
  if (changesOwner || (mode & 0o777) !== 0o700) makePrivate(clusterDir, changesOwner ? account : undefined)
}
