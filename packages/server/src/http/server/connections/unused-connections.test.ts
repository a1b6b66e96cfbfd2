import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { trackUnusedConnections } from './unused-connections.ts'

test('a connection without a request is closed, one with the beginning of a request is not', async () => {
  const server = createServer((_request, response) => response.end('answered'))
  const closeUnused = trackUnusedConnections(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const arrive = async (text: string) => {
    const accepted = once(server, 'connection')
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    const [there] = await accepted
    if (text) {
      socket.write(text)
      while (there.bytesRead < text.length) await new Promise((resolve) => setImmediate(resolve))
    }
    return socket
  }
  const unused = await arrive('')
  const begun = await arrive('GET / HTTP/1.1\r\nHost: x\r\n')
  const closed = new Promise((resolve) => server.close(resolve))
  closeUnused()
  await once(unused, 'close')
  begun.write('Connection: close\r\n\r\n')
  const received: string[] = await begun.toArray()
  expect(received.join('')).toContain('answered')
  await closed
})
