// The database of a trial, and what can go wrong with it: the tests' own server, one that can be stopped, two that
// fail over, or one on a disk that can be filled.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../../src/store/embedded/start-embedded-postgres.ts'
import { type ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { freshDatabase } from '../support/database.ts'
import { startReplicatedPostgres } from '../support/replicated-postgres.ts'
import { RestartedPostgres } from '../support/restarted-postgres.ts'
import { SmallDisk } from '../support/small-disk.ts'
import { Network } from './faults/network.ts'
import type { Trouble } from './faults/play-faults.ts'
import type { Scenario } from './faults/schedule.ts'

export interface TrialServer {
  /** For the service. */
  readonly connection: ConnectionOptions
  /** For the checks, past every trouble. */
  readonly database: Database
  readonly trouble: Trouble
  stop(): Promise<void>
}

const never = (): Promise<void> => Promise.reject(new Error('this server has no such trouble'))
const noTrouble: Trouble = { network: never, database: never, failover: never, disk: never }
const open = (connection: ConnectionOptions) =>
  new Database({ connection, maxConnections: 4, applicationName: 'runwright test' })

export function startTrialServer(scenario: Scenario): Promise<TrialServer> {
  if (scenario === 'database') return startRestarted()
  if (scenario === 'failover') return startReplicated()
  if (scenario === 'disk') return startSmall()
  return startShared()
}

async function startShared(): Promise<TrialServer> {
  const fresh = await freshDatabase({ migrated: false })
  const network = await new Network(fresh.connection).open()
  const trouble: Trouble = {
    ...noTrouble,
    network: async ({ way, ms }) => {
      const end = network.trouble(way)
      await sleep(ms)
      end()
    },
  }
  const stop = async () => {
    network.close()
    await fresh.drop()
  }
  return { connection: network.connection, database: fresh.database, trouble, stop }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rw-'))
  await chmod(folder, 0o711)
  return folder
}

async function startRestarted(): Promise<TrialServer> {
  const folder = await newFolder()
  const server = new RestartedPostgres(folder)
  await server.start()
  const { connection } = server
  const database = open(connection)
  const trouble: Trouble = {
    ...noTrouble,
    database: async ({ ms }) => {
      await server.stop()
      await sleep(ms)
      await server.start()
    },
  }
  const stop = async () => {
    await database.close().catch(() => undefined)
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { connection, database, trouble, stop }
}

/** It can fail over once. */
async function startReplicated(): Promise<TrialServer> {
  const folder = await newFolder()
  const server = await startReplicatedPostgres(folder)
  const { connection } = server
  const database = open({ ...connection })
  const trouble: Trouble = {
    ...noTrouble,
    failover: async ({ way }) => {
      await sleep(2_000 + 5_000 * way)
      await server.killPrimary()
      await server.promoteStandby()
    },
  }
  const stop = async () => {
    await database.close().catch(() => undefined)
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { connection, database, trouble, stop }
}

async function startSmall(): Promise<TrialServer> {
  const disk = new SmallDisk(600)
  const server = await startEmbeddedPostgres({ dataDir: join(disk.folder, 'data'), diesWithParent: true })
  const database = open(server.connection)
  const trouble: Trouble = {
    ...noTrouble,
    disk: async ({ ms }) => {
      await disk.fill()
      await sleep(ms)
      disk.free()
    },
  }
  const stop = async () => {
    disk.free()
    await database.close().catch(() => undefined)
    await server.stop()
    disk.remove()
  }
  return { connection: server.connection, database, trouble, stop }
}
