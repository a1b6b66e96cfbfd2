// A PostgreSQL that a test can stop and start: its address stays the same.
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { SERVICE_ROLE } from '../../src/store/embedded/cluster/roles.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/start-embedded-postgres.ts'
import type { ConnectionOptions } from '../../src/store/postgres/database.ts'

/** A PostgreSQL of one's own behind an address that stays the same when the server is started again. */
export class RestartedPostgres {
  readonly #folder: string
  readonly #sockets = new Set<Socket>()
  #door: Server | undefined
  #port = 0
  #server: EmbeddedPostgres | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  get connection(): ConnectionOptions {
    return { ...this.#server?.connection, host: '127.0.0.1', port: this.#port }
  }

  async start(): Promise<void> {
    const settings = { max_connections: '120' }
    // Tests give each fleet a database of its own.
    const moreRights = [`alter role ${SERVICE_ROLE} createdb`]
    this.#server = await startEmbeddedPostgres({ dataDir: this.#folder, diesWithParent: true, moreRights, settings })
    const door = createServer((client) => this.#admit(client))
    await new Promise<void>((resolve) => door.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (door.address() as AddressInfo).port
    this.#door = door
  }

  async stop(): Promise<void> {
    this.#door?.close()
    await this.#server?.stop()
    for (const socket of this.#sockets) socket.destroy()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  #admit(client: Socket): void {
    const { host, port } = this.#server?.connection ?? { host: '', port: 0 }
    const server = createConnection({ path: join(host, `.s.PGSQL.${port}`) })
    const couple = (socket: Socket, other: Socket) => {
      this.#sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
    couple(client, server)
    couple(server, client)
  }
}
