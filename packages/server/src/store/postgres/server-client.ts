// A connection that knows its server.
import pg from 'pg'
import type { Primary } from './primary.ts'
import type { Server } from './server-list.ts'

export class ServerClient extends pg.Client {
  readonly server: Server

  constructor(options: pg.ClientConfig, server: Server) {
    super({ ...options, ...server.connection })
    this.server = server
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
