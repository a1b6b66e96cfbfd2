// The embedded PostgreSQL for a command, with or without a running service: joins a running server, or starts one. The
// last user stops it. A service that has started meanwhile keeps it.

import { leaveServer, openServer } from './open-server.ts'
import type { EmbeddedConnection } from './server/endpoint.ts'
import { prepareSite } from './site/site.ts'
import type { EmbeddedPostgresOptions } from './start-embedded-postgres.ts'

export async function withEmbeddedPostgres<Result>(
  options: Omit<EmbeddedPostgresOptions, 'diesWithParent'>,
  work: (connection: EmbeddedConnection) => Promise<Result>,
): Promise<Result> {
  const site = prepareSite(options.dataDir)
  const server = await openServer(site, { ...options, report: options.report ?? (() => undefined) })
  try {
    return await work(server.connection)
  } finally {
    await leaveServer(site, server)
  }
}
