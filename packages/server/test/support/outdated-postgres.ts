// A cluster as versions left it whose service was the superuser: one role, which owns everything.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { ensureCluster } from '../../src/store/embedded/cluster/cluster.ts'
import { ensurePasswordFile, scramVerifier } from '../../src/store/embedded/cluster/password.ts'
import { SUPERUSER } from '../../src/store/embedded/cluster/roles.ts'
import { runSingleUser } from '../../src/store/embedded/cluster/secure-cluster.ts'
import { prepareBinaries } from '../../src/store/embedded/programs/binaries.ts'
import { programOptions } from '../../src/store/embedded/programs/program.ts'
import { connectionTo, makeEndpoint } from '../../src/store/embedded/server/endpoint.ts'
import { findPostmasterFile } from '../../src/store/embedded/server/postmaster-file.ts'
import { serverArguments } from '../../src/store/embedded/server/server-settings.ts'
import { nameForServer, type Site } from '../../src/store/embedded/site/site.ts'
import type { ConnectionOptions } from '../../src/store/postgres/database.ts'

const rules = `# Written by Runwright at the start: every connection needs the password in postgres.password.
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
`

export interface OutdatedServer {
  readonly process: ChildProcess
  /** As the superuser. */
  readonly connection: ConnectionOptions
}

export async function startOutdatedPostgres(site: Site): Promise<OutdatedServer> {
  const binaries = prepareBinaries(site)
  await ensureCluster({ site, binaries, report: () => undefined })
  const verifier = scramVerifier(ensurePasswordFile(site))
  const complaint = await runSingleUser({ site, binaries }, [`alter role ${SUPERUSER} password '${verifier}'`])
  if (complaint !== undefined) throw new Error(complaint)
  const hba = join(site.clusterDir, 'pg_hba.conf')
  writeFileSync(hba, rules)
  if (site.account) chownSync(hba, site.account.uid, site.account.gid)
  const endpoint = await makeEndpoint(site)
  const folder = nameForServer(site.clusterDir, site.account)
  const child = spawn(binaries.postgres, ['-D', folder, ...serverArguments(site, endpoint)], {
    ...programOptions(site, site.clusterDir),
    stdio: 'ignore',
  })
  await vi.waitFor(() => {
    if (findPostmasterFile(site)?.ready !== true) throw new Error('not ready')
  }, 30_000)
  return { process: child, connection: { ...connectionTo(endpoint, site), user: SUPERUSER } }
}
