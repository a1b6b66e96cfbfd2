// The servers that a connection names. A URL may list several, as libpq writes it:
// postgres://user:password@first:5432,second:5432/database?target_session_attrs=read-write
import type pg from 'pg'

export type ConnectionOptions = Pick<
  pg.PoolConfig,
  'connectionString' | 'host' | 'port' | 'user' | 'database' | 'password' | 'ssl'
>

export interface Server {
  /** Host and port, without the credentials. */
  readonly name: string
  readonly connection: ConnectionOptions
}

export interface ServerList {
  readonly servers: readonly Server[]
  /** A server that accepts no writes is not used. */
  readonly mustAcceptWrites: boolean
}

const urlParts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const asksForPrimary = /[?&]target_session_attrs=(?:read-write|primary)(?:&|$)/

export function listServers(connection: ConnectionOptions): ServerList {
  const [, start = '', hosts = '', rest = ''] = urlParts.exec(connection.connectionString ?? '') ?? []
  if (!hosts.includes(','))
    return { servers: [{ name: hosts, connection }], mustAcceptWrites: asksForPrimary.test(rest) }
  const servers = hosts.split(',').map((name) => ({
    name,
    connection: { ...connection, connectionString: `${start}${name}${rest}` },
  }))
  return { servers, mustAcceptWrites: true }
}

/** The same servers, and another database. The driver prefers the database in the URL to the option. */
export function withDatabase({ connectionString, ...rest }: ConnectionOptions, database: string): ConnectionOptions {
  if (connectionString === undefined) return { ...rest, database }
  const [, start = '', hosts = '', path = ''] = urlParts.exec(connectionString) ?? []
  return { ...rest, connectionString: `${start}${hosts}/${database}${path.replace(/^\/[^?#]*/, '')}` }
}
