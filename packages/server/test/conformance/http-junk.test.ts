// Bodies over the limit or sent in an unusual way, and bytes that are no HTTP at all.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver, rowCounts } from '../support/drive.ts'
import { bearer, Caller, expectRefusal, parseRaw, type Reply, rawExchange } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let nobody: Caller
let runId: string
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  nobody = new Caller(service.url, null)
  runId = (await acme.newRun()).id
})
afterAll(() => service.stop())

const raw = async (text: string | Buffer, withinMs?: number) => parseRaw(await rawExchange(service.url, text, withinMs))
const authorization = () => `Authorization: ${bearer(service.key)}`
const head = (request: string, ...headers: string[]) =>
  `${[request, 'Host: x', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

/** 4xx with the whole envelope, whatever the reason. */
function expectEnvelope(reply: Reply, statuses: number[] = [400]) {
  expect(statuses, reply.text).toContain(reply.status)
  expectRefusal(reply, reply.status, String(reply.json().reason_code))
}

describe('a body over the transport limit of 4 MiB answers 400 with a code of the endpoint', () => {
  const huge = (bytes: number) => `{"input":{"t":"${'x'.repeat(bytes)}"},"metadata":{}}`
  test.each([4 * 1024 * 1024 + 1, 6 * 1024 * 1024])('create with %i bytes', async (bytes) => {
    const before = await rowCounts(service.database)
    const reply = await acme.create(huge(bytes))
    expectEnvelope(reply)
    expect(['INPUT_PAYLOAD_TOO_LARGE', 'INPUT_PAYLOAD_INVALID']).toContain(reply.json().reason_code)
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test('create just below it is too large by its own rule', async () => {
    expectRefusal(await acme.create(huge(4_000_000)), 400, 'INPUT_PAYLOAD_TOO_LARGE')
  })

  test('signal', async () => {
    const { id } = await acme.newRun()
    await new Driver(service.database).toAwaiting(id)
    expectRefusal(await acme.post(`/v1/runs/${id}/signal`, huge(5_000_000)), 400, 'SIGNAL_PAYLOAD_INVALID')
  })

  test('keys', async () => {
    expectRefusal(await acme.post('/v1/keys', huge(5_000_000)), 400, 'KEY_PAYLOAD_INVALID')
  })

  test('sent in chunks without a length', async () => {
    const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`
    const start = head(
      'POST /v1/runs HTTP/1.1',
      authorization(),
      'idempotency-key: chunked-huge',
      'content-type: application/json',
      'transfer-encoding: chunked',
    )
    const reply = await raw(`${start}${chunk.repeat(70)}0\r\n\r\n`)
    expectEnvelope(reply)
    expect(reply.json().reason_code).toMatch(/^INPUT_PAYLOAD_/)
  })
})

describe('bodies that are sent in an unusual way', () => {
  const body = '{"input":{},"metadata":{}}'
  const start = (key: string, ...headers: string[]) =>
    head(
      'POST /v1/runs HTTP/1.1',
      authorization(),
      `idempotency-key: ${key}`,
      'content-type: application/json',
      ...headers,
    )

  test('in chunks are read', async () => {
    const chunks = [body.slice(0, 5), body.slice(5)]
      .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      .join('')
    expect((await raw(`${start('chunked', 'transfer-encoding: chunked')}${chunks}0\r\n\r\n`)).status).toBe(201)
  })

  test('after a 100-continue are read', async () => {
    const received = await rawExchange(
      service.url,
      `${start('expected', 'expect: 100-continue', `content-length: ${body.length}`)}${body}`,
    )
    expect(received).toContain('201 Created')
  })

  test('on a GET are ignored', async () => {
    const reply = await acme.send({
      path: `/v1/runs/${runId}`,
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(200)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', ''])(
    'with the content type "%s" are never a 415',
    async (type) => {
      const reply = await acme.create(body, { 'content-type': type })
      if (reply.status !== 201) expectRefusal(reply, 400, 'INPUT_PAYLOAD_INVALID')
    },
  )
})

describe('what is no HTTP gets 400 and the envelope', () => {
  test.each([
    ['words', 'GARBAGE\r\n\r\n'],
    ['bytes', Buffer.from('16030100010203040506070809', 'hex')],
    ['an unknown version', 'GET / HTTP/9.9\r\n\r\n'],
    ['no host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a header without a colon', 'GET /health/live HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['a blank in a header name', 'GET /health/live HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n'],
    ['a control character in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\na: b\u0001\r\n\r\n'],
    ['a length that is no number', 'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    ['a negative length', 'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['two lengths', 'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['an unknown encoding', 'POST /v1/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n'],
    ['a blank in the path', 'GET /a b c HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['headers of 100 KB', `GET /health/live HTTP/1.1\r\nHost: x\r\na: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a path of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['ten thousand headers', `GET /health/live HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(10_000)}\r\n`],
  ])('%s', async (_case, bytes) => {
    expectEnvelope(await raw(bytes))
  })

  test('and so does a broken chunk in the middle of a body', async () => {
    const start = head(
      'POST /v1/runs HTTP/1.1',
      authorization(),
      'idempotency-key: broken',
      'content-type: application/json',
      'transfer-encoding: chunked',
    )
    expectEnvelope(await raw(`${start}ZZ\r\n{}\r\n0\r\n\r\n`))
  })
})

test('a client that leaves in the middle of its body leaves nothing behind', async () => {
  const before = await rowCounts(service.database)
  const start = head(
    'POST /v1/runs HTTP/1.1',
    authorization(),
    'idempotency-key: left',
    'content-type: application/json',
    'content-length: 1000',
  )
  await rawExchange(service.url, `${start}{"input":{`, 200)
  expect((await acme.create(undefined, { 'idempotency-key': 'left' })).status).toBe(201)
  expect((await rowCounts(service.database)).runs).toBe(Number(before.runs) + 1)
})

test('after all this the service is well', async () => {
  expect((await nobody.get('/health/ready')).status).toBe(200)
  expect((await acme.get(`/v1/runs/${runId}`)).status).toBe(200)
})
