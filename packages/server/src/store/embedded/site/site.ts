// The site: the folders of one embedded PostgreSQL, and the user that runs it. All other files here work on a site.
//   <dataDir>/postgres           the cluster, mode 0700, owned by the user PostgreSQL runs as
//   <dataDir>/postgres.log       the server's log
//   <dataDir>/postgres.password  the password, mode 0600, owned by the user of this process
// A server listens on a socket in a folder that no other user can enter. Node cannot use such sockets on Windows: there
// it listens on a port of the loopback interface. Everything else in the data folder belongs to Runwright and is not
// touched. Links in the data folder are not followed.
import { accessSync, constants, lchownSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFolder } from '../../../runtime/files/make-folder.ts'
import { type Account, chooseAccount, isRoot } from './account.ts'
import { canReach } from './can-reach.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import { errorCode } from './error-code.ts'

export interface Site {
  readonly dataDir: string
  readonly clusterDir: string
  readonly logFile: string
  readonly account: Account | undefined
  readonly transport: Transport
}

export type Transport = 'socket' | 'loopback'

export function prepareSite(dataDirSetting: string, transport = transportOfPlatform()): Site {
  const wanted = resolve(dataDirSetting)
  const account = chooseAccount(join(wanted, 'postgres'), wanted)
  makeDataDir(wanted, account)
  refuseReadOnly(wanted)
  const dataDir = realpathSync(wanted)
  const clusterDir = join(dataDir, 'postgres')
  refuseLink(clusterDir)
  refuseForeignCluster(clusterDir)
  return { dataDir, clusterDir, logFile: join(dataDir, 'postgres.log'), account, transport }
}

function transportOfPlatform(): Transport {
  return process.platform === 'win32' ? 'loopback' : 'socket'
}

/** The user who owns the cluster and all files of the server. */
export function serverUid(site: Site): number | undefined {
  return site.account?.uid ?? process.getuid?.()
}

/**
 * The path of the folder for a server that is started *in* it. Its user may not be allowed to enter a folder above. But
 * root entered the working directory, and on Linux a process can follow the link to it without permission for the path.
 * That opens less than a capability, which would let the server read every file of the host.
 */
export function nameForServer(folder: string, account: Account | undefined): string {
  if (canReach(folder, account)) return folder
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and no other user can enter ${folder}. Set RUNWRIGHT_DATA_DIR to a folder outside of private home folders.`,
  )
}

const advice = 'Set RUNWRIGHT_DATA_DIR to a folder that this user can write to.'

function makeDataDir(dataDir: string, account: Account | undefined): void {
  try {
    const made = makeFolder(dataDir, isRoot() ? 0o711 : 0o700)
    if (made !== undefined && account !== undefined) giveToOwnerOfParent(dataDir, account)
  } catch (error) {
    throw new EmbeddedPostgresError(`Could not create the data folder ${dataDir} (${errorCode(error)}). ${advice}`)
  }
}

function refuseReadOnly(dataDir: string): void {
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new EmbeddedPostgresError(
      `This user cannot write to the data folder ${dataDir} (${errorCode(error)}). ${advice}`,
    )
  }
}

// In a user's checkout the folder gets that user as owner. A service account owns only the cluster.
function giveToOwnerOfParent(dataDir: string, account: Account): void {
  if (statSync(join(dataDir, '..')).uid === account.uid) lchownSync(dataDir, account.uid, account.gid)
}

export function refuseLink(clusterDir: string): void {
  if (!lstatSync(clusterDir, { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new EmbeddedPostgresError(
    `${clusterDir} is a symbolic link, and Runwright does not follow links in its data folder. Replace it with the folder itself, or set RUNWRIGHT_DATA_DIR to a folder on the other disk.`,
  )
}

function refuseForeignCluster(clusterDir: string): void {
  const owner = lstatSync(clusterDir, { throwIfNoEntry: false })?.uid
  if (owner === undefined || process.platform === 'win32' || isRoot() || owner === process.getuid?.()) return
  throw new EmbeddedPostgresError(
    `The database in ${clusterDir} belongs to another user (uid ${owner}). Start Runwright as that user or as root.`,
  )
}
