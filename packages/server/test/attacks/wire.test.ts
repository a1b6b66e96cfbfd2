// Manners on the wire: what clients, browsers and EventSource receive when something is refused or over.
import { connect, Socket } from 'node:net'
import { maxBodyBytes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, Caller, expectRefusal, parseRaw, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const listed = 'https://app.example.com'

let service: Service
let open: Service
let acme: Caller
beforeAll(async () => {
  service = await startService({}, { worker: true })
  open = await startService({ RUNWRIGHT_CORS_ORIGINS: `${listed}, http://localhost:3000` })
  acme = new Caller(service.url, service.key)
})
afterAll(async () => {
  await service.stop()
  await open.stop()
})

describe('a 401', () => {
  const challenge = 'Bearer realm="runwright"'

  test.each([
    ['/v1/usage', undefined, 'AUTH_HEADER_MISSING', challenge],
    ['/v1/nonsense', undefined, 'AUTH_HEADER_MISSING', challenge],
    ['/v1/usage', 'Basic eDp5', 'AUTH_HEADER_MALFORMED', challenge],
    ['/v1/usage', 'Bearer key_acme:wrong', 'API_KEY_INVALID', `${challenge}, error="invalid_token"`],
    ['/v1/runs/x/events/stream', 'Bearer key_acme:wrong', 'API_KEY_INVALID', `${challenge}, error="invalid_token"`],
  ])('of %s with %s names the scheme', async (path, authorization, reason, expected) => {
    const reply = await new Caller(service.url, null).get(path, { authorization })
    expectRefusal(reply, 401, reason)
    expect(reply.headers['www-authenticate']).toBe(expected)
  })

  test('is the only response with a challenge', async () => {
    for (const path of ['/v1/usage', '/v1/runs/nope', '/v1/usage?x=1', '/health/live']) {
      expect((await acme.get(path)).headers['www-authenticate']).toBeUndefined()
    }
  })
})

describe('a stream of a run that has ended', () => {
  let path: string
  let last: number
  beforeAll(async () => {
    const { id } = await acme.newRun({
      input: { sandbox: { steps: [{ say: 'Done.' }] } },
      routing_hint: 'skip_planning',
    })
    path = `/v1/runs/${id}/events/stream`
    const stream = await acme.stream(path)
    await stream.until(({ events }) => events.at(-1)?.type === 'run.worker.succeeded', 15_000)
    last = stream.events.at(-1)?.seq ?? 0
    stream.close()
  })

  test.each([0, 1, 1000])('answers 204 when Last-Event-ID is %d beyond its last event', async (beyond) => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await acme.send({ method, path, headers: { 'last-event-id': last + beyond } })
      expect([reply.status, reply.text]).toEqual([204, ''])
      expect(reply.headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-content-type-options': 'nosniff' })
      expect(reply.headers['content-type']).toBeUndefined()
    }
  })

  test('answers 200 and closes with a cursor alone, and sends what is missing', async () => {
    const [byCursor, missing, mixed] = await Promise.all([
      acme.get(`${path}?cursor=${last}`),
      acme.get(path, { 'last-event-id': last - 1 }),
      acme.get(`${path}?cursor=${last}`, { 'last-event-id': last - 1 }),
    ])
    expect([byCursor.status, missing.status, mixed.status]).toEqual([200, 200, 200])
    expect([byCursor, missing, mixed].map(({ text }) => text.includes(`id: ${last}\n`))).toEqual([false, true, false])
  })

  test('stays hidden from another customer', async () => {
    const reply = await new Caller(service.url, service.otherKey).get(path, { 'last-event-id': last })
    expectRefusal(reply, 404, 'RUN_NOT_FOUND')
  })
})

test('a stream of a run that goes on answers 200, whatever Last-Event-ID says', async () => {
  const plan = { steps: [{ id: 'gate', await_input: {} }] }
  const { id } = await acme.newRun({ plan })
  const stream = await acme.stream(`/v1/runs/${id}/events/stream`, { 'last-event-id': 1_000_000 })
  expect(stream.status).toBe(200)
  stream.close()
})

describe('CORS', () => {
  const caller = () => new Caller(open.url, open.key)
  const preflight = (origin: string, path = '/v1/runs', to = open.url) =>
    new Caller(to, null).send({
      method: 'OPTIONS',
      path,
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    })

  test('a preflight of a listed origin is answered without a key', async () => {
    const reply = await preflight(listed)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': listed,
      'access-control-allow-methods': expect.stringMatching(/^(?:(?:HEAD|POST|GET|PUT|PATCH|DELETE)(?:, |$)){6}$/),
      'access-control-allow-headers':
        'Authorization, Content-Encoding, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id',
      vary: 'origin',
    })
    expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  const asks: readonly (readonly [string, number, string, (ask: Caller) => Promise<Reply>])[] = [
    ['a result', 200, 'origin', (ask) => ask.get('/v1/runs', { origin: listed })],
    ['CSV', 200, 'accept, origin', (ask) => ask.get('/v1/usage', { origin: listed, accept: 'text/csv' })],
    ['a 400', 400, 'origin', (ask) => ask.post('/v1/runs', {}, { origin: listed })],
    ['a 401', 401, 'origin', (ask) => new Caller(ask.url, null).get('/v1/runs', { origin: listed })],
    ['a 404', 404, 'origin', (ask) => ask.get('/v1/nonsense', { origin: listed })],
    ['a page', 200, 'accept-encoding, origin', (ask) => ask.get('/openapi.json', { origin: listed })],
    ['a probe', 200, 'origin', (ask) => ask.get('/health/ready', { origin: listed })],
  ]
  test.each(asks)('%s can be read by a page of a listed origin', async (_, status, vary, ask) => {
    const reply = await ask(caller())
    expect(reply.status).toBe(status)
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': listed,
      'access-control-expose-headers': 'X-Request-Id, Retry-After, Location, Deprecation, Sunset, Link',
    })
    expect(reply.headers.vary?.split(', ')).toEqual(expect.arrayContaining(vary.split(', ')))
  })

  test('an event stream and the error of a body that is too large can be read, too', async () => {
    const { id } = await caller().newRun()
    const stream = await caller().stream(`/v1/runs/${id}/events/stream`, { origin: listed })
    expect(stream.headers).toMatchObject({ 'access-control-allow-origin': listed, vary: 'origin' })
    stream.close()
    const tooLarge = await caller().create('x'.repeat(maxBodyBytes + 1), { origin: listed })
    expectRefusal(tooLarge, 400, 'INPUT_PAYLOAD_TOO_LARGE')
    expect(tooLarge.headers['access-control-allow-origin']).toBe(listed)
  })

  test.each(['https://evil.example', `${listed}.evil.example`, `${listed}:8443`, 'http://app.example.com', 'null'])(
    'the origin %s is not allowed',
    async (origin) => {
      const [reply, before] = [await caller().get('/v1/runs', { origin }), await preflight(origin)]
      expect([reply.status, before.status]).toEqual([200, 401])
      for (const { headers } of [reply, before]) {
        expect(headers).not.toHaveProperty('access-control-allow-origin')
        expect(headers.vary).toContain('origin')
      }
    },
  )

  test('without the setting, no origin is allowed', async () => {
    const [reply, before] = [await acme.get('/v1/runs', { origin: listed }), await preflight(listed, '/', service.url)]
    expect([reply.status, before.status]).toEqual([200, 404])
    for (const { headers } of [reply, before]) expect(JSON.stringify(headers)).not.toMatch(/access-control|"vary"/)
  })
})

test('/ leads to the console', async () => {
  const anonymous = new Caller(service.url, null)
  const reply = await anonymous.get('/')
  expect([reply.status, reply.headers.location]).toEqual([302, 'console/'])
  expect((await anonymous.get(new URL('console/', `${service.url}/`).pathname)).status).toBe(200)
})

describe('a body that is too large', () => {
  const head = (key: string | null, length: string) =>
    `POST /v1/runs HTTP/1.1\r\nHost: x\r\n${key === null ? '' : `Authorization: ${bearer(key)}\r\n`}` +
    `Content-Type: application/json\r\nIdempotency-Key: large\r\n${length}\r\n\r\n`
  const fiveMiB = 5 * 1024 * 1024
  const declared = `Content-Length: ${fiveMiB}`

  /** As many clients do: sends everything, and only then reads. */
  function sendThenRead(bytes: Buffer): Promise<Reply> {
    const { hostname, port } = new URL(service.url)
    return new Promise((resolve, reject) => {
      let received = ''
      const socket = new Socket().pause().on('error', reject)
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
      })
      socket.on('close', () => resolve(parseRaw(received)))
      socket.pause().connect(Number(port), hostname, () => socket.write(bytes, () => socket.resume()))
    })
  }

  test.each([
    ['declared', (key: string | null) => Buffer.concat([Buffer.from(head(key, declared)), Buffer.alloc(fiveMiB, 'x')])],
    [
      'sent in chunks',
      (key: string | null) =>
        Buffer.concat([
          Buffer.from(`${head(key, 'Transfer-Encoding: chunked')}${fiveMiB.toString(16)}\r\n`),
          Buffer.alloc(fiveMiB, 'x'),
          Buffer.from('\r\n0\r\n\r\n'),
        ]),
    ],
  ])('and %s: a client that reads only afterwards gets its status, every time', async (_, request) => {
    for (let times = 0; times < 15; times += 1) {
      expectRefusal(await sendThenRead(request(service.key)), 400, 'INPUT_PAYLOAD_TOO_LARGE')
    }
    expectRefusal(await sendThenRead(request(null)), 401, 'AUTH_HEADER_MISSING')
  })

  test('and never ends: the client gets its status while it sends, and the connection is closed', async () => {
    const { hostname, port } = new URL(service.url)
    const piece = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`)
    const [received, sentBytes] = await new Promise<[string, number]>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => {
        socket.write(head(service.key, 'Transfer-Encoding: chunked'))
        const send = () => {
          while (!socket.destroyed && socket.write(piece));
          socket.once('drain', send)
        }
        send()
      })
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve([text, socket.bytesWritten]))
    })
    expectRefusal(parseRaw(received), 400, 'INPUT_PAYLOAD_TOO_LARGE')
    expect(parseRaw(received).headers.connection).toBe('close')
    const mebibytes = sentBytes / 1024 / 1024
    expect(mebibytes).toBeGreaterThan(60)
    expect(mebibytes).toBeLessThan(100)
  })
})
