// A line between a service and its database that a test can cut or hold.
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ConnectionOptions } from '../../src/store/postgres/database.ts'
import { Occurrences } from './occurrences.ts'

/**
 * A way to the database that can be cut, as when a machine loses its network, and mended; or held, so that nothing
 * arrives until it is released.
 */
export async function startLine(target: ConnectionOptions) {
  const sockets = new Set<Socket>()
  /** What clients have sent. */
  const sent = new Occurrences<string>()
  /** Connections that were refused because the line is cut. */
  const refused = new Occurrences<null>()
  let isCut = false
  let isHeld = false
  const server = createServer((client) => {
    if (isCut) {
      refused.add(null)
      return void client.destroy()
    }
    client.on('data', (data) => sent.add(data.toString('latin1')))
    const { host = '127.0.0.1', port = 5432 } = target
    const upstream = createConnection(host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (data) => to.write(data))
      if (isHeld) from.pause()
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  const mend = () => {
    isCut = false
  }
  const hold = () => {
    isHeld = true
    for (const socket of sockets) socket.pause()
  }
  const release = () => {
    isHeld = false
    for (const socket of sockets) socket.resume()
  }
  const close = async () => {
    cut()
    await new Promise((resolve) => server.close(resolve))
  }
  return { connection: { ...target, host: '127.0.0.1', port }, sent, refused, cut, mend, hold, release, close }
}
