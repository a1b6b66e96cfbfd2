import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { checkService } from './check-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))
const here = { RUNWRIGHT_DATA_DIR: folder }

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

interface Answers {
  /** HTTP status of the readiness probe. */
  readonly ready?: number
  readonly message?: string
  /** HTTP status and body of a request with the key. */
  readonly withKey?: readonly [status: number, body: object]
}

const noRuns = { runs: [], next_cursor: null, request_id: 'req_1' }

async function serve({ ready = 200, message, withKey = [200, noRuns] }: Answers) {
  server = createServer((request, response) => {
    const isProbe = request.url === '/health/ready'
    response.statusCode = isProbe ? ready : withKey[0]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isProbe ? { status: ready === 200 ? 'ok' : 'unavailable', message } : withKey[1]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, env: { ...here, RUNWRIGHT_URL: url, RUNWRIGHT_API_KEY: 'key_1:s' } }
}

const refusal = (reason_code: string) => ({ error: 'refused', reason_code, message: 'Not so.', request_id: 'req_1' })

test('without an address and a key there is nothing to check, and the advice says how to get them', async () => {
  expect(await checkService(here)).toEqual([
    {
      name: 'Client',
      status: 'note',
      message: 'no service and key to talk to yet',
      advice: expect.stringContaining('set RUNWRIGHT_API_KEY'),
    },
  ])
})

test('an address that is not a URL is a problem', async () => {
  expect(await checkService({ ...here, RUNWRIGHT_URL: 'example', RUNWRIGHT_API_KEY: 'key_1:s' })).toEqual([
    { name: 'Client', status: 'problem', message: expect.stringMatching(/^RUNWRIGHT_URL must be the URL/) },
  ])
})

test('a service that accepts the key is fine', async () => {
  const { url, env } = await serve({})
  expect(await checkService(env)).toEqual([
    { name: 'Service', status: 'ok', message: `${url} responds` },
    { name: 'Client key', status: 'ok', message: 'RUNWRIGHT_API_KEY is valid' },
  ])
})

test('a key that may not read runs is valid', async () => {
  const { env } = await serve({ withKey: [403, refusal('SCOPE_DENIED')] })
  expect((await checkService(env))[1]).toMatchObject({ name: 'Client key', status: 'ok' })
})

test('a key that the service refuses is a problem, told with its source', async () => {
  const { env } = await serve({ withKey: [401, refusal('API_KEY_REVOKED')] })
  expect((await checkService(env))[1]).toMatchObject({
    name: 'Client key',
    status: 'problem',
    message: expect.stringMatching(/RUNWRIGHT_API_KEY.*req_1/s),
  })
})

test('a service that is not ready is a problem, and its key is not tried', async () => {
  const { url, env } = await serve({ ready: 503 })
  expect(await checkService(env)).toEqual([
    {
      name: 'Service',
      status: 'problem',
      message: `${url} responds, but is not ready.`,
      advice: `See ${url}/health/deps and its log.`,
    },
  ])
})

test('a service that says why it is not ready is quoted, on one line', async () => {
  const { url, env } = await serve({ ready: 503, message: 'The database does not respond.\n\u001b[2J' })
  const message = `${url} responds, but is not ready: The database does not respond. \\u{1b}[2J`
  expect((await checkService(env))[0]).toMatchObject({ status: 'problem', message })
})

test('a service that does not respond may just not be started', async () => {
  const { url, env } = await serve({})
  await new Promise((resolve) => server?.close(resolve))
  expect(await checkService(env)).toEqual([
    { name: 'Service', status: 'note', message: `${url} does not respond`, advice: expect.stringContaining(url) },
  ])
})
