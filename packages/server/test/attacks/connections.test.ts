// Connections: clients that open many of them, and send a byte now and then or nothing at all.
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CellGate } from '../../src/http/cells/cell-gate.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { blockLoop } from '../support/busy-loop.ts'
import { gateDefaults } from '../support/cells.ts'
import { bearer, Caller, expectRefusal, parseRaw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { SlowClient } from '../support/slow-client.ts'

const metrics = new Metrics()
const gauge = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await metrics.text())?.[1])

async function start(env: Record<string, string>): Promise<Service> {
  const service = await startService(env, { metrics })
  onTestFinished(() => service.stop())
  return service
}

const slowPosts = ({ url, key }: Service, count: number): Promise<SlowClient[]> =>
  Promise.all(Array.from({ length: count }, () => SlowClient.post(url, bearer(key))))

/** A gate without a cell. */
async function startEmptyGate(env: Record<string, string>) {
  const defaults = gateDefaults(env)
  const gate = new CellGate({ cells: [], routes: { find: async () => ({ kind: 'unknown' }) }, ...defaults })
  await new Promise<void>((resolve) => gate.server.listen(0, '127.0.0.1', resolve))
  gate.start()
  onTestFinished(() => gate.stop(0))
  const url = `http://127.0.0.1:${(gate.server.address() as AddressInfo).port}`
  return { url, connections: defaults.connections }
}

describe('with all connections taken by slow requests', () => {
  const max = 20
  const full = async () => {
    const service = await start({ RUNWRIGHT_MAX_CONNECTIONS: String(max) })
    return { service, slow: await slowPosts(service, max) }
  }

  test('another request gets 503 at once, and its connection is closed', async () => {
    const { service } = await full()
    expect(await gauge('runwright_http_connections')).toBe(max)
    const reply = await (await SlowClient.open(service.url)).ask(
      '/v1/runs',
      `Authorization: ${bearer(service.key)}\r\n`,
    )
    expectRefusal(reply, 503, 'OVERLOADED')
    expect(reply.json().message).toBe('The service has too many open connections. Nothing was written. Try again.')
    expect(reply.headers).toMatchObject({ connection: 'close', 'retry-after': '2' })
    expect(await gauge('runwright_http_connections_refused_total{reason="limit"}')).toBe(1)
    const warning = service.log.all.find((line) => line.includes('too many open connections; some are refused'))
    expect(JSON.parse(warning ?? '{}')).toMatchObject({ open: max + 1, max })
  })

  test('the probes are answered, each on a connection that is closed then', async () => {
    const { service } = await full()
    for (const path of ['/health/live', '/health/ready', '/health/deps']) {
      const reply = await (await SlowClient.open(service.url)).ask(path)
      expect([reply.status, reply.headers.connection]).toEqual([200, 'close'])
    }
  })

  test('a connection that ends makes room for another, which is served', async () => {
    const { service, slow } = await full()
    const waiting = await SlowClient.open(service.url)
    waiting.send('GET /v1/runs HTTP/1.1\r\nHost: x\r\n')
    await slow[0]?.leave()
    await expect.poll(() => gauge('runwright_http_connections')).toBe(max)
    waiting.send(`Authorization: ${bearer(service.key)}\r\nConnection: close\r\n\r\n`)
    expect(await waiting.closed()).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('connections beyond a few more are closed before they can send anything', async () => {
    const { service } = await full()
    const spare = await Promise.all(Array.from({ length: 100 }, () => SlowClient.open(service.url)))
    await expect.poll(() => gauge('runwright_http_connections')).toBe(max + 100)
    const dropped = await Promise.all(Array.from({ length: 50 }, () => SlowClient.open(service.url)))
    expect(await Promise.all(dropped.map((client) => client.closed()))).toEqual(Array(50).fill(''))
    expect(await gauge('runwright_http_connections')).toBe(max + 100)
    // Those above the limit that do not ask for anything are closed, too.
    await Promise.all(spare.map((client) => client.closed()))
    expect((await new Caller(service.url, null).get('/health/live')).status).toBe(200)
  })

  test('unused connections that clients keep are closed first', async () => {
    const service = await start({ RUNWRIGHT_MAX_CONNECTIONS: '3' })
    const kept = await SlowClient.open(service.url)
    kept.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await kept.received('{"status":"ok"}')
    await slowPosts(service, 2)
    await SlowClient.open(service.url)
    await kept.closed()
    await expect.poll(() => gauge('runwright_http_connections')).toBe(3)
  })
})

test('without a limit, no connection is refused', async () => {
  const service = await start({ RUNWRIGHT_MAX_CONNECTIONS: '0' })
  await slowPosts(service, 200)
  expect((await new Caller(service.url, service.key).get('/v1/runs')).status).toBe(200)
})

test('the limit per address closes further connections at once, and counts them', async () => {
  const service = await start({ RUNWRIGHT_MAX_CONNECTIONS_PER_ADDRESS: '5' })
  const before = (await gauge('runwright_http_connections_refused_total{reason="address"}')) || 0
  const slow = await slowPosts(service, 5)
  expect(await (await SlowClient.open(service.url)).closed()).toBe('')
  expect(await gauge('runwright_http_connections_refused_total{reason="address"}')).toBe(before + 1)
  await slow[0]?.leave()
  await expect.poll(() => gauge('runwright_http_connections')).toBe(4)
  expect((await new Caller(service.url, service.key).get('/v1/runs')).status).toBe(200)
})

describe('a client that takes too long', () => {
  const env = { RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '1', RUNWRIGHT_REQUEST_TIMEOUT_SECONDS: '2' }

  test.each([
    ['to send anything', ''],
    ['to send its headers, a byte at a time', 'GET /v1/runs HTTP/1.1\r\nHost: x\r\nA: '],
  ])('%s is disconnected', async (_case, sent) => {
    const service = await start(env)
    const client = await SlowClient.open(service.url)
    client.send(sent)
    const drip = setInterval(() => client.send('x'), 100)
    if (sent === '') clearInterval(drip)
    onTestFinished(() => clearInterval(drip))
    expect(await client.closed()).toMatch(/^(HTTP\/1\.1 400 |$)/)
  })

  test('to send its body is disconnected, although it sends a byte now and then', async () => {
    const service = await start(env)
    const client = await SlowClient.post(service.url, bearer(service.key))
    const drip = setInterval(() => client.send(' '), 100)
    onTestFinished(() => clearInterval(drip))
    const text = await client.closed()
    expect(text).toContain('REQUEST_MALFORMED')
    expect(text).toContain('The request took too long to arrive.')
  })
})

describe('a client whose request came while the process stood still is asked to repeat it', () => {
  const env = { RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '1', RUNWRIGHT_REQUEST_TIMEOUT_SECONDS: '2' }

  /** Half of the request has been read. The other half arrives, and waits until the time for it is over. */
  async function askDuringPause(url: string, isConnected: () => Promise<void>): Promise<void> {
    const client = await SlowClient.open(url)
    client.send('GET /v1/runs HTTP/1.1\r\n')
    await isConnected()
    client.send('Host: x\r\nConnection: close\r\n\r\n')
    blockLoop(3_000)
    const reply = parseRaw(await client.closed())
    expectRefusal(reply, 503, 'OVERLOADED')
    expect(reply.headers['retry-after']).toBe('1')
  }

  test('by the service', async () => {
    const service = await start(env)
    await askDuringPause(service.url, () => expect.poll(() => gauge('runwright_http_connections')).toBe(1))
  })

  test('by the gate of several cells', async () => {
    const { url, connections } = await startEmptyGate(env)
    await askDuringPause(url, () => expect.poll(() => connections.open).toBe(1))
  })
})

test('the gate of several cells refuses a slow client for good, as the service does', async () => {
  // Longer than an event loop may be late.
  const { url } = await startEmptyGate({ RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '3' })
  const client = await SlowClient.open(url)
  client.send('GET /v1/runs HTTP/1.1\r\n')
  expectRefusal(parseRaw(await client.closed()), 400, 'REQUEST_MALFORMED')
})

test('the gate of several cells has the same limits', async () => {
  const { url, connections } = await startEmptyGate({ RUNWRIGHT_MAX_CONNECTIONS: '3' })
  await Promise.all(Array.from({ length: 3 }, () => SlowClient.open(url)))
  await expect.poll(() => connections.open).toBe(3)
  expectRefusal(await (await SlowClient.open(url)).ask('/v1/runs'), 503, 'OVERLOADED')
  expect((await (await SlowClient.open(url)).ask('/health/live')).status).toBe(200)
})
