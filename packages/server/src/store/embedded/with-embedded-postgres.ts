// The embedded PostgreSQL for a command that needs it for a moment, with or without a service beside it: joins the server
// that runs, or starts one. The last to leave stops it; a service that came in the meantime keeps it.
import type { EmbeddedConnection } from './endpoint.ts'
import { leaveServer, openServer } from './open-server.ts'
import { prepareSite } from './site.ts'
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
