// A connection that knows its server.
import pg from 'pg'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { Primary } from './primary.ts'
import type { Server } from './server-list.ts'

export class ServerClient extends pg.Client {
  readonly server: Server

  constructor(options: pg.ClientConfig, server: Server) {
    super({ ...options, ...server.connection })
    this.server = server
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (callback) {
      super.connect((error: Error) => callback(error && this.#explain(error)))
      return undefined
    }
    return super.connect().catch((error: Error) => {
      throw this.#explain(error)
    })
  }

  /** The driver leaves such a connection open, and the process with it, until the server closes it after a minute. */
  #explain(error: Error): Error {
    if (!error.message.includes('client password must be a string')) return error
    this.drop()
    return new SettingsError(
      `PostgreSQL at ${this.server.name || this.host} asks for a password, and DATABASE_URL has none. ` +
        'Write it as postgres://user:password@host:5432/database, or set PGPASSWORD.',
    )
  }

  /** Ends it at once, also while a statement waits for its answer: the statement fails. */
  drop(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
  }
}

/** For a pool: each new connection goes to the server that is current then. */
export const clientClass = (primary: Primary): typeof pg.Client =>
  class extends ServerClient {
    constructor(options: pg.ClientConfig) {
      super(options, primary.current)
    }
  } as unknown as typeof pg.Client
