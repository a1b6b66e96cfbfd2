import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { connect } from './connect.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A service that answers each request with the next of these. */
async function serve(statuses: readonly number[]) {
  let requests = 0
  server = createServer((_request, response) => {
    const status = statuses[requests++] ?? 500
    const body =
      status === 200 ? { runs: [], next_cursor: null } : { error: 'no', reason_code: 'OVERLOADED', message: '' }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...body, request_id: 'req_1' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const onUnavailable = vi.fn()
  const { client } = connect({ env: { RUNWRIGHT_URL: url, RUNWRIGHT_API_KEY: 'key_1:s' } }, { onUnavailable })
  return { client, onUnavailable, requests: () => requests }
}

test('that the service is not available is said once, before it is tried again', async () => {
  const { client, onUnavailable, requests } = await serve([503, 503, 200])
  onUnavailable.mockImplementation(() => expect(requests()).toBe(1))
  await client.runs.list()
  expect(onUnavailable).toHaveBeenCalledOnce()
  expect(requests()).toBe(3)
})

test.each([200, 404])('nothing is said about an answer %i', async (status) => {
  const { client, onUnavailable } = await serve([status])
  await client.runs.list().catch(() => undefined)
  expect(onUnavailable).not.toHaveBeenCalled()
})
