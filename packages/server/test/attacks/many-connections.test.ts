// One client holds as many connections as the process serves: it sends nothing, half a header, half a body, or does not
// read its streams. What holds: each connection takes little memory, clients within the limit are served, and those
// above it are refused with a reason or closed. `npm run bench -- connections` measures the same with 10,000.
//
// It opens 2,000 connections on loopback, and needs twice as many open files in two processes (`ulimit -n`).
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { bearer, Caller, type Reply } from '../support/http.ts'
import { type HostedFleet, type ServiceProcess, startFleet } from '../support/processes.ts'

const kibibyte = 1024
const max = 2_000
/** Node closes connections that have sent no whole header; here they stay as long as the test. */
const patience = { RUNWRIGHT_HEADERS_TIMEOUT_SECONDS: '120', RUNWRIGHT_REQUEST_TIMEOUT_SECONDS: '120' }

let hosted: HostedFleet
let service: ServiceProcess
let caller: Caller
beforeAll(async () => {
  hosted = await startFleet({
    env: {
      ...patience,
      RUNWRIGHT_MAX_CONNECTIONS: String(max),
      NODE_OPTIONS: `--import=${join(import.meta.dirname, '../support/memory-meter.mjs')}`,
    },
  })
  service = await hosted.fleet.start('api')
  caller = hosted.fleet.caller(service)
  // Compiles the code, and lets the heap grow to its usual size.
  for (let n = 0; n < 200; n += 1) await caller.get('/v1/runs')
  await hold(500, '')
  await leave()
})
afterAll(() => hosted.close())

const held: Socket[] = []
afterEach(() => leave())

async function leave(): Promise<void> {
  const closed = held.splice(0).map((socket) => {
    if (socket.closed) return undefined
    socket.destroy()
    return once(socket, 'close')
  })
  await Promise.all(closed)
}

/** Opens connections on which nothing is read, 100 at a time. */
async function hold(count: number, sent: string): Promise<Socket[]> {
  const { hostname, port } = new URL(service.url)
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const opened = Array.from({ length: Math.min(100, count - sockets.length) }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      held.push(socket)
      await once(socket, 'connect')
      socket.pause().write(sent)
      return socket
    })
    sockets.push(...(await Promise.all(opened)))
  }
  return sockets
}

/** Reads until these words come. */
async function read(request: string, words: string): Promise<void> {
  const [socket] = await hold(1, request)
  let last = ''
  for await (const chunk of socket ?? []) {
    last = `${last.slice(-words.length)}${chunk}`
    if (last.includes(words)) return
  }
  throw new Error('the stream has ended')
}

const keptBytes = async () => Number(await service.measure('memory'))

/** As a client that tries again when it is told so: on a busy machine the process may be seconds behind. */
const served = (ask: () => Promise<Reply>, status: number) =>
  expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(status)

/** All requests that came before are handled: these have waited behind them. */
const settle = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await served(() => caller.get('/v1/runs'), 200)
}

async function growthPer(count: number, attack: () => Promise<unknown>): Promise<number> {
  await settle()
  const before = await keptBytes()
  await attack()
  await settle()
  return ((await keptBytes()) - before) / count
}

const authorization = () => `Authorization: ${bearer(hosted.fleet.key)}\r\n`
const halfHeader = () => `GET /v1/runs HTTP/1.1\r\nHost: x\r\n${authorization()}A: b`
const halfBody = () =>
  `POST /v1/runs HTTP/1.1\r\nHost: x\r\n${authorization()}Idempotency-Key: a\r\nContent-Length: 200000\r\n\r\n{"input":"`

test.each([
  ['that sends nothing', () => ''],
  ['that sends half a header', halfHeader],
  ['that sends half a body', halfBody],
])('a connection %s takes less than 32 KiB, and a client within the limit is served', async (_kind, sent) => {
  const count = max - 100
  expect(await growthPer(count, () => hold(count, sent()))).toBeLessThan(32 * kibibyte)
  await served(() => caller.create(), 201)
})

test('a stream that is not read takes less than 256 KiB, and one that is read gets all events', async () => {
  await settle()
  const { id } = await caller.newRun()
  await hosted.database.run({
    text: `
with log as (
  insert into event_rows (customer_id, run_id, seq, attempt, type, terminal, redacted, at, payload)
  select 'acme', $1, n, 1, 'step.progress', false, false, now(), json_build_object('content_delta', repeat('x', 20000))
  from generate_series(2, 500) n
)
update runs
set next_seq = 501
where id = $1`,
    values: [fromWireId('run', id)],
  })
  const request = `GET /v1/runs/${id}/events/stream HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`
  const count = 200
  const growth = await growthPer(count, async () => {
    await hold(count, request)
    // Streams take turns: when one has read all events, the others could have them, too, 10 MB each.
    await read(request, '\nid: 500\n')
  })
  expect(growth).toBeLessThan(256 * kibibyte)
})

test('above the limit, requests get 503, probes are answered, and all is served again afterwards', async () => {
  await hold(max, halfBody())
  const refused = await Promise.all(Array.from({ length: 20 }, () => caller.get('/v1/runs')))
  expect(refused.map(({ status }) => status)).toEqual(Array(20).fill(503))
  expect(refused[0]?.json()).toMatchObject({ reason_code: 'OVERLOADED' })
  expect((await new Caller(service.url, null).get('/health/live')).status).toBe(200)
  await leave()
  await served(() => caller.get('/v1/runs'), 200)
})
