import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { HttpConnection, reconnectionScheduler } from './http-connection.ts'

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

test.each([
  [0, 500],
  [1_000, 1_000],
  [99_999_999_999, 5_000],
])('a stream that is to be opened again after %d ms is opened after %d ms', (asked, waited) => {
  vi.useFakeTimers()
  let opened = 0
  const open = () => {
    opened += 1
  }
  reconnectionScheduler(open, asked, 0)
  vi.advanceTimersByTime(waited - 1)
  expect(opened).toBe(0)
  vi.advanceTimersByTime(1)
  expect(opened).toBe(1)
  vi.useRealTimers()
})
