// Where one embedded PostgreSQL lives and who runs it. Every other file here works on a site.
//   <dataDir>/postgres        the cluster, mode 0700, owned by the user PostgreSQL runs as
//   <dataDir>/postgres.log    what the server says
// A server listens on a socket in a folder nobody else can enter. Node can't speak to such sockets on Windows: there it
// is a port of the loopback interface and a password in <dataDir>/postgres.password.
// Everything else in the data folder belongs to Runwright and is left alone.
import { accessSync, chownSync, constants, mkdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
  refuseForeignCluster(clusterDir)
  return { dataDir, clusterDir, logFile: join(dataDir, 'postgres.log'), account, transport }
}

function transportOfPlatform(): Transport {
  return process.platform === 'win32' ? 'loopback' : 'socket'
}

/** The user who owns the cluster and whatever the server makes. */
export function serverUid(site: Site): number | undefined {
  return site.account?.uid ?? process.getuid?.()
}

/**
 * The name a server started *in* the folder can give it. Below a folder that is closed to its user, every path is; but
 * the working directory was entered by root, and Linux lets a process follow the link to its own without a look at the
 * path. Less than what a capability would open: that one lets the server read every file of the host.
 */
export function nameForServer(folder: string, account: Account | undefined): string {
  if (canReach(folder, account)) return folder
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and no other user can reach ${folder}: set RUNWRIGHT_DATA_DIR to a folder outside of private homes.`,
  )
}

function makeDataDir(dataDir: string, account: Account | undefined): void {
  try {
    const made = mkdirSync(dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 })
    if (made !== undefined && account !== undefined) giveToOwnerOfParent(dataDir, account)
  } catch (error) {
    throw new EmbeddedPostgresError(`The data folder ${dataDir} can't be made (${errorCode(error)}).`)
  }
}

function refuseReadOnly(dataDir: string): void {
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new EmbeddedPostgresError(`The data folder ${dataDir} can't be written by this user (${errorCode(error)}).`)
  }
}

// In somebody's checkout the folder should be as if they had made it; a mere service account gets the cluster alone.
function giveToOwnerOfParent(dataDir: string, account: Account): void {
  if (statSync(join(dataDir, '..')).uid === account.uid) chownSync(dataDir, account.uid, account.gid)
}

function refuseForeignCluster(clusterDir: string): void {
  const owner = statSync(clusterDir, { throwIfNoEntry: false })?.uid
  if (owner === undefined || process.platform === 'win32' || isRoot() || owner === process.getuid?.()) return
  throw new EmbeddedPostgresError(
    `The database in ${clusterDir} belongs to another user (uid ${owner}): start Runwright as that user or as root.`,
  )
}
