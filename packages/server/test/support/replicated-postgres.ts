// A primary and a synchronous standby: two real servers that a test can kill and promote.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SUPERUSER } from '../../src/store/embedded/cluster/roles.ts'
import type { Site } from '../../src/store/embedded/site/site.ts'
import { type ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { end, giveToServer, socketFolder, startServer, twoClusters, urlOf } from './bare-postgres.ts'

export interface ReplicatedPostgres {
  /** Names both servers, the first primary first. */
  readonly connection: ConnectionOptions
  /** As a power cut would. */
  killPrimary(): Promise<void>
  /** Resolves when the standby accepts writes. */
  promoteStandby(): Promise<void>
  stop(): Promise<void>
}

export async function startReplicatedPostgres(folder: string): Promise<ReplicatedPostgres> {
  const sites = await twoClusters(folder)
  const [first, second] = sites
  writeFileSync(join(second.clusterDir, 'standby.signal'), '')
  giveToServer(second)
  const primary = await startServer(first, { synchronous_standby_names: '*' })
  const standby = await startServer(second, {
    primary_conninfo: `host=${socketFolder(first)} user=${SUPERUSER}`,
    // The standby becomes the only server.
    synchronous_standby_names: '',
  })
  return {
    connection: { connectionString: urlOf(sites) },
    killPrimary: () => end(primary, 'SIGQUIT'),
    promoteStandby: () => promote(second),
    stop: async () => {
      await end(standby, 'SIGQUIT')
      await end(primary, 'SIGQUIT')
    },
  }
}

async function promote(site: Site): Promise<void> {
  const connection = { host: socketFolder(site), user: SUPERUSER, database: 'postgres' }
  const standby = new Database({ connection, maxConnections: 1, applicationName: 'runwright test' })
  await standby.run({ text: 'select pg_promote()' })
  await standby.close()
}
