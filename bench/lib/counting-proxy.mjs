// A TCP proxy on loopback that counts the bytes it passes on, in both directions: what a page costs on the wire.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

export async function startCountingProxy(target) {
  const { hostname, port } = new URL(target)
  const sockets = new Set()
  let bytes = 0
  const count = (data) => {
    bytes += data.length
  }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one)
      one.on('data', count)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bytes: () => bytes,
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
