import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { checkPort } from './check-port.ts'

const host = '127.0.0.1'
let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

async function occupy(answer: RequestListener): Promise<number> {
  server = createServer(answer).listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a free port is fine, and port 0 is any', async () => {
  expect(await checkPort({ host, port: 0 })).toMatchObject({ status: 'ok', message: 'any free port' })
  const port = await occupy(() => undefined)
  await new Promise((resolve) => server?.close(resolve))
  expect(await checkPort({ host, port })).toMatchObject({ status: 'ok', message: `${port} on ${host} is free` })
})

test('a port that this service uses is fine', async () => {
  const port = await occupy((_request, response) => {
    response.statusCode = 401
    response.end(JSON.stringify({ reason_code: 'AUTH_HEADER_MISSING', request_id: 'req_1' }))
  })
  expect(await checkPort({ host, port })).toMatchObject({
    status: 'ok',
    message: `${port} on ${host} is used by this service`,
  })
})

test.each(['<html>', '{"hello":"world"}', 'null'])(
  'a port that answers %s belongs to another program',
  async (text) => {
    const port = await occupy((_request, response) => void response.end(text))
    expect(await checkPort({ host, port })).toEqual({
      name: 'Port',
      status: 'problem',
      message: `${port} on ${host} is used by another program.`,
      advice: 'Stop that program, or set RUNWRIGHT_PORT.',
    })
  },
)

test('an address that this host does not have is a problem of RUNWRIGHT_HOST', async () => {
  expect(await checkPort({ host: '192.0.2.1', port: 0 })).toEqual({
    name: 'Port',
    status: 'problem',
    message: '0 on 192.0.2.1 cannot be used (EADDRNOTAVAIL).',
    advice: 'Check RUNWRIGHT_HOST.',
  })
})
