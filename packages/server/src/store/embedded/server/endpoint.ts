// Where a server listens, and how a client connects.
import { createServer } from 'node:net'
import { findPassword } from '../cluster/password.ts'
import { SERVICE_ROLE } from '../cluster/roles.ts'
import type { Site } from '../site/site.ts'
import { makeSocketFolder, removeSocketFolder } from './socket-folder.ts'

export interface Endpoint {
  /** A socket folder, or the loopback address. */
  readonly host: string
  readonly port: number
}

/** Options for `new pg.Pool(…)`. `ssl: false` overrides PGSSLMODE in the environment. */
export interface EmbeddedConnection extends Endpoint {
  readonly user: string
  readonly database: string
  readonly ssl: false
  readonly password?: string
}

// With a socket, the port is only a part of its name.
const SOCKET_PORT = 5432

export async function makeEndpoint(site: Site): Promise<Endpoint> {
  if (site.transport === 'loopback') return { host: '127.0.0.1', port: await findFreePort() }
  return { host: makeSocketFolder(site, SOCKET_PORT), port: SOCKET_PORT }
}

export function removeEndpoint(endpoint: Endpoint, site: Site): void {
  if (site.transport === 'socket') removeSocketFolder(endpoint.host, site)
}

export function endpointSettings({ host, port }: Endpoint, site: Site): Record<string, string> {
  const bySocket = site.transport === 'socket'
  return {
    listen_addresses: bySocket ? '' : host,
    unix_socket_directories: bySocket ? host : '',
    unix_socket_permissions: '0700',
    port: String(port),
  }
}

export function connectionTo({ host, port }: Endpoint, site: Site): EmbeddedConnection {
  const password = findPassword(site)
  return { host, port, user: SERVICE_ROLE, database: 'postgres', ssl: false, ...(password && { password }) }
}

function findFreePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
