// Real servers for tests that need more than one, each in a folder of its own. They trust every local connection.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster } from '../../src/store/embedded/cluster/create-cluster.ts'
import { SUPERUSER } from '../../src/store/embedded/cluster/roles.ts'
import { prepareBinaries } from '../../src/store/embedded/programs/binaries.ts'
import { programOptions } from '../../src/store/embedded/programs/program.ts'
import { nameForServer, prepareSite, type Site } from '../../src/store/embedded/site/site.ts'
import { Occurrences } from './occurrences.ts'

const trust = 'local all all trust\nlocal replication all trust\n'

/** Two equal clusters that have never run. */
export async function twoClusters(folder: string): Promise<[Site, Site]> {
  // The servers run as another user than root.
  chmodSync(folder, 0o711)
  const [first, second] = ['a', 'b'].map((name) => prepareSite(join(folder, name))) as [Site, Site]
  await createCluster({ site: first, binaries: prepareBinaries(first), report: () => undefined })
  writeFileSync(join(first.clusterDir, 'pg_hba.conf'), trust)
  // A cluster that has never run can be copied as it is.
  cpSync(first.clusterDir, second.clusterDir, { recursive: true, preserveTimestamps: true })
  giveToServer(second)
  return [first, second]
}

export const socketFolder = ({ dataDir }: Site) => join(dataDir, 'socket')

/** Names all of the servers. */
export const urlOf = (sites: readonly Site[], { user = SUPERUSER, database = 'postgres' } = {}) =>
  `postgres://${user}@${sites.map((site) => encodeURIComponent(socketFolder(site))).join()}/${database}`

export function giveToServer({ clusterDir, account }: Site): void {
  if (!account) return
  const owner = `${account.uid}:${account.gid}`
  const { status } = spawnSync('chown', ['-R', owner, clusterDir])
  if (status !== 0) throw new Error(`chown of ${clusterDir} failed`)
}

export async function startServer(site: Site, settings: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const sockets = socketFolder(site)
  mkdirSync(sockets, { mode: 0o755 })
  if (site.account) chownSync(sockets, site.account.uid, site.account.gid)
  const all = { listen_addresses: '', unix_socket_directories: sockets, ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const folder = nameForServer(site.clusterDir, site.account)
  const child = spawn(prepareBinaries(site).postgres, ['-D', folder, ...options], {
    ...programOptions(site, site.clusterDir),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = new Occurrences<string>()
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.add(text))
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(said.all.join(''))))
  await Promise.race([said.until((all) => all.join('').includes('ready to accept')), ended])
  ended.catch(() => undefined)
  return child
}

export async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}
