// 503 and 500: while the service shuts down, and while its database cannot be reached.
import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bootstrapKeys } from '../../src/access/bootstrap.ts'
import { createApp } from '../../src/app.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { Driver, rowCounts } from '../support/drive.ts'
import {
  bearer,
  Caller,
  emptyRun,
  expectRefusal,
  instantPattern,
  parseRaw,
  type Reply,
  rawExchange,
  type SseStream,
} from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { testPostgres } from '../support/test-postgres.ts'

/** A probe that is down: the error envelope, beside exactly these fields. */
function expectProbe(reply: Reply, { reason, fields }: { reason: string; fields: object }): void {
  const { error, reason_code, message, request_id, ...own } = reply.json()
  expectRefusal({ ...reply, text: JSON.stringify({ error, reason_code, message, request_id }) }, 503, reason)
  expect(own).toEqual(fields)
}

/** Sends all but the end of a request, lets something happen once the service has that, then sends the end. */
function interrupted(service: Service, path: string, meanwhile: () => void): Promise<Reply> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    let received = ''
    const start = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${bearer(service.key)}\r\n`
    const socket = connect(Number(port), hostname)
    const proceed = () => {
      meanwhile()
      setTimeout(() => socket.write('\r\n'), 100)
    }
    socket.write(start, () => setTimeout(proceed, 100))
    socket.on('data', (chunk) => {
      received += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(parseRaw(received)))
  })
}

describe('a request that arrives while the service shuts down', () => {
  const askWhileStopping = async (path: string) => {
    const service = await startService()
    let stopped: Promise<void> | undefined
    const reply = await interrupted(service, path, () => {
      stopped = service.stop()
    })
    await stopped
    return reply
  }

  test.concurrent.each(['/v1/usage', '/v1/nonsense'])(
    'is refused with SHUTTING_DOWN before anything else: %s',
    async (path) => {
      expectRefusal(await askWhileStopping(path), 503, 'SHUTTING_DOWN')
    },
  )

  test.concurrent('finds the service not ready', async () => {
    const reply = await askWhileStopping('/health/ready')
    expectProbe(reply, { reason: 'SHUTTING_DOWN', fields: { status: 'unavailable' } })
  })
})

test('a service whose event loop is more than 2 s behind refuses with OVERLOADED, and recovers', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const acme = new Caller(service.url, service.key)
  const ask = `GET /v1/nonsense HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  const answered = rawExchange(service.url, ask, 8_000)
  await new Promise((resolve) => setImmediate(resolve))
  // The service lives in this process: what holds this thread holds its event loop, without burning the machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_600)
  expectRefusal(parseRaw(await answered), 503, 'OVERLOADED')
  await expect.poll(async () => (await acme.get('/v1/usage')).status, { timeout: 10_000, interval: 200 }).toBe(200)
})

/** Stands between the service and PostgreSQL, and can be cut. */
class Wire {
  readonly #open = new Set<Socket>()
  #server: Server | undefined
  port = 0

  async mend(): Promise<void> {
    if (this.#server?.listening) return
    const { host = '127.0.0.1', port = 5432 } = await testPostgres()
    const address = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
    const server = createServer((near) => {
      const far = connect(address)
      for (const [one, other] of [[near, far] as const, [far, near] as const]) {
        this.#open.add(one)
        one.on('error', () => undefined).on('close', () => other.destroy())
        one.pipe(other)
      }
    })
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  cut(): void {
    this.#server?.close()
    for (const socket of this.#open) socket.destroy()
    this.#open.clear()
  }
}

/** A service whose way to its database is a wire of ours. */
async function startOnWire() {
  const fresh: FreshDatabase = await freshDatabase()
  const wire = new Wire()
  await wire.mend()
  const key = `key_acme:${randomBytes(12).toString('hex')}`
  const settings = readSettings({ RUNWRIGHT_PORT: '0', RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key}` })
  const logger = createLogger({ level: 'silent', stream: { write: () => undefined } })
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const { database } = fresh
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
  const connection = { ...fresh.connection, host: '127.0.0.1', port: wire.port }
  const app = createApp({ settings, connection, secrets, logger, api: {} })
  const acme = new Caller((await app.start()) as string, key)
  const stop = async () => {
    await app.stop()
    wire.cut()
    await fresh.drop()
  }
  return { acme, wire, database, stop }
}

describe('while the database cannot be reached', () => {
  let service: Awaited<ReturnType<typeof startOnWire>>
  let waiting: string
  let before: Record<string, number>
  let stream: SseStream
  /** All were asked at once, right after the wire was cut. */
  const answers = new Map<string, Promise<Reply>>()

  const asks: [string, (acme: Caller) => Promise<Reply>][] = [
    ['create', (acme) => acme.create(emptyRun)],
    ['get', (acme) => acme.get(`/v1/runs/${waiting}`)],
    ['list', (acme) => acme.get('/v1/runs')],
    ['cancel', (acme) => acme.post(`/v1/runs/${waiting}/cancel`)],
    ['events', (acme) => acme.get(`/v1/runs/${waiting}/events`)],
    ['a stream', (acme) => acme.get(`/v1/runs/${waiting}/events/stream`)],
    ['usage', (acme) => acme.get('/v1/usage')],
    ['memory', (acme) => acme.get('/v1/memory/items')],
    ['keys', (acme) => acme.get('/v1/keys')],
    ['a new key', (acme) => acme.post('/v1/keys', {})],
    ['an unknown key', (acme) => new Caller(acme.url, 'key_nobody:x').get('/v1/usage')],
  ]
  const others: [string, (acme: Caller) => Promise<Reply>][] = [
    ['signal', (acme) => acme.post(`/v1/runs/${waiting}/signal`, { action: 'approve' })],
    ['ready', (acme) => acme.get('/health/ready')],
    ['deps', (acme) => acme.get('/health/deps')],
  ]

  beforeAll(async () => {
    service = await startOnWire()
    waiting = (await service.acme.newRun()).id
    await new Driver(service.database).toAwaiting(waiting)
    stream = await service.acme.stream(`/v1/runs/${waiting}/events/stream?cursor=3`)
    await stream.until(({ events }) => events.length === 1)
    before = await rowCounts(service.database)
    service.wire.cut()
    for (const [name, ask] of [...asks, ...others]) answers.set(name, ask(service.acme))
  })
  afterAll(async () => {
    await service.wire.mend()
    await service.stop()
  })
  const answerTo = async (name: string) => (await answers.get(name)) as Reply

  test('a signal answers 500 SIGNAL_SERVICE_UNAVAILABLE', async () => {
    expectRefusal(await answerTo('signal'), 500, 'SIGNAL_SERVICE_UNAVAILABLE')
  })

  test.each(asks)('%s answers 503 DATABASE_UNAVAILABLE', async (name) => {
    expectRefusal(await answerTo(name), 503, 'DATABASE_UNAVAILABLE')
  })

  test('what needs no database is answered as ever', async () => {
    expect((await service.acme.get('/health/live')).status).toBe(200)
    expect((await service.acme.get('/openapi.json')).status).toBe(200)
    expectRefusal(await new Caller(service.acme.url, null).get('/v1/usage'), 401, 'AUTH_HEADER_MISSING')
  })

  test('the service is not ready', async () => {
    const reply = await answerTo('ready')
    expectProbe(reply, { reason: 'DATABASE_UNAVAILABLE', fields: { status: 'unavailable' } })
  })

  test('/health/deps says what is down', async () => {
    const reply = await answerTo('deps')
    const database = { status: 'down', latency_ms: null, engine: expect.any(String), version: null }
    const counts = { depth: null, oldest_seconds: null, workers: null, places: null, busy_places: null }
    const queue = { status: 'down', latency_ms: null, ...counts }
    const checked_at = expect.stringMatching(instantPattern)
    const versions = { version: expect.any(String), node_version: process.versions.node }
    const fields = { status: 'down', checked_at, dependencies: { database, queue }, ...versions }
    expectProbe(reply, { reason: 'DATABASE_UNAVAILABLE', fields })
  })

  test('an open stream is told so and closed', async () => {
    await stream.until(({ messages }) => messages.some(({ event }) => event === 'error'), 8_000)
    await stream.closed
    const told = JSON.parse(stream.messages.at(-1)?.data ?? '')
    expect(told).toMatchObject({ error: 'unavailable', reason_code: 'DATABASE_UNAVAILABLE' })
  })

  test('nothing was written, also not later, and all is well again once it is back', async () => {
    expect(await rowCounts(service.database)).toEqual(before)
    await service.wire.mend()
    const isReady = async () => (await service.acme.get('/health/ready')).status
    await expect.poll(isReady, { timeout: 10_000, interval: 200 }).toBe(200)
    expect((await service.acme.post(`/v1/runs/${waiting}/signal`, { action: 'approve' })).status).toBe(200)
    expect((await service.acme.create()).status).toBe(201)
    const [runs, events] = [Number(before.runs) + 1, Number(before.events) + 2]
    expect(await rowCounts(service.database)).toMatchObject({ runs, events, signals: 1, api_keys: before.api_keys })
  })
})

test('a database that an operator has closed to connections is unavailable, not a defect of the service', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const acme = new Caller(service.url, service.key)
  const admin = new Database({ connection: await testPostgres(), maxConnections: 1, applicationName: 'runwright test' })
  const [row] = await service.database.run<{ name: string }>({ text: 'select current_database() as name' })
  await acme.get('/v1/usage')
  await admin.run({ text: `alter database ${row?.name} with allow_connections false` })
  const text = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
  await admin.run({ text, values: [row?.name] })
  const reply = await acme.get('/v1/usage')
  await admin.run({ text: `alter database ${row?.name} with allow_connections true` })
  await admin.close()
  expectRefusal(reply, 503, 'DATABASE_UNAVAILABLE')
})
