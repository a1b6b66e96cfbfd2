// Connections on which nothing has arrived, as browsers and HTTP clients open them ahead of a request. To Node they are
// not idle, so without this a server that closes would wait for them.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Call it before connections arrive. The function it returns closes those that are unused at that time. */
export function trackUnusedConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
}
