// A TCP proxy in front of PostgreSQL that can lose an answer after the server has done the work.
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ConnectionOptions } from '../../src/store/postgres/database.ts'
import { Occurrences } from './occurrences.ts'

export interface Proxy {
  readonly connection: ConnectionOptions
  /** The server answers the next message from a client, and the client never hears of it: its connection breaks. */
  loseNextAnswer(): void
  /** How many statements clients have sent. */
  readonly sent: number
  /** Resolves once they have sent so many. */
  untilSent(count: number): Promise<unknown>
  /** How many answers were lost. */
  readonly lost: number
  close(): Promise<void>
}

export async function startProxy(target: ConnectionOptions): Promise<Proxy> {
  let losing = false
  let lost = 0
  const statements = new Occurrences<null>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(addressOf(target))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    let asked = false
    client.on('data', (data) => {
      asked = losing
      upstream.write(data)
      for (const _ of data.toString('latin1').split(endOfStatement).slice(1)) statements.add(null)
    })
    upstream.on('data', (data) => {
      if (!asked) return void client.write(data)
      losing = false
      lost += 1
      client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    connection: { ...target, host: '127.0.0.1', port },
    loseNextAnswer: () => {
      losing = true
    },
    get sent() {
      return statements.all.length
    },
    get lost() {
      return lost
    },
    untilSent: (count) => statements.until((all) => all.length >= count),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The message Sync. */
const endOfStatement = 'S\0\0\0\u0004'

const addressOf = ({ host = '127.0.0.1', port = 5432 }: ConnectionOptions) =>
  host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
