import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { HttpConnection } from './http-connection.ts'

test('a request without a response times out, and that is not a lost connection', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const link = new HttpConnection({ kind: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} }, 1_000)
  await link.transport.start()
  const sent = link.transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const givenUp = expect(sent).rejects.toThrow('timeout')
  const [, response] = await once(server, 'request')
  await Promise.all([once(response, 'close'), givenUp])
  expect(link.closeReason).toBeUndefined()
  await link.close()
  server.close()
})
