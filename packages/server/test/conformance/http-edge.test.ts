// The edge of HTTP: methods, paths and headers that no well-behaved client sends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, expectRefusal, parseRaw, rawExchange, requestIdPattern } from '../support/http.ts'
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

describe('HEAD works where GET does', () => {
  const paths = [
    '/v1/runs',
    '/v1/usage',
    '/v1/memory/items',
    '/v1/memory/export',
    '/v1/keys',
    '/health/live',
    '/health/ready',
    '/health/deps',
    '/openapi.json',
  ]
  test.each([...paths, '/v1/runs/{id}', '/v1/runs/{id}/events'])('%s: the same status, no body', async (path) => {
    const real = path.replace('{id}', runId)
    const reply = await acme.send({ method: 'HEAD', path: real })
    const got = await acme.get(real)
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(got.headers['content-type']).toMatch(/^application\/json\b/)
    expect(reply.headers['content-type']).toBe(got.headers['content-type'])
    expect(reply.headers['x-request-id']).toMatch(requestIdPattern)
  })

  test.each([
    ['/v1/runs/nonsense', 404],
    ['/v1/runs?nonsense=1', 400],
    ['/v1/nonsense', 404],
    ['/nonsense', 404],
  ])('and fails where GET fails: %s', async (path, status) => {
    const reply = await acme.send({ method: 'HEAD', path })
    expect([reply.status, reply.text]).toEqual([status, ''])
  })

  test('without a key', async () => {
    expect((await nobody.send({ method: 'HEAD', path: '/v1/runs' })).status).toBe(401)
  })
})

describe('a wrong method is no route', () => {
  const below: [string, string[]][] = [
    ['/v1/runs', ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']],
    ['/v1/runs/{id}', ['POST', 'PUT', 'PATCH', 'OPTIONS']],
    ['/v1/runs/{id}/cancel', ['GET', 'HEAD', 'PUT', 'DELETE']],
    ['/v1/runs/{id}/retry', ['GET', 'PUT']],
    ['/v1/runs/{id}/resume', ['GET', 'PUT']],
    ['/v1/runs/{id}/fork', ['GET', 'PUT']],
    ['/v1/runs/{id}/signal', ['GET', 'PUT', 'DELETE']],
    ['/v1/runs/{id}/events', ['POST', 'DELETE']],
    ['/v1/runs/{id}/events/stream', ['POST', 'DELETE']],
    ['/v1/usage', ['POST', 'DELETE']],
    ['/v1/memory/items', ['POST', 'PUT', 'DELETE']],
    ['/v1/memory/items/{id}', ['POST', 'PUT', 'PATCH']],
    ['/v1/memory/export', ['POST', 'DELETE']],
    ['/v1/keys', ['PUT', 'DELETE']],
    ['/v1/keys/{id}', ['POST', 'PUT']],
    ['/v1/keys/{id}/rotate', ['GET', 'DELETE']],
  ]
  const cases = below.flatMap(([path, methods]) => methods.map((method): [string, string] => [method, path]))
  test.each(cases)('%s %s', async (method, path) => {
    const real = path.replace('{id}', runId)
    const reply = await acme.send({ method, path: real })
    if (method === 'HEAD') expect(reply.status).toBe(404)
    else expectRefusal(reply, 404, 'ROUTE_NOT_FOUND')
    expect((await nobody.send({ method, path: real })).status).toBe(401)
  })

  test.each([
    ['POST', '/health/live'],
    ['POST', '/openapi.json'],
    ['DELETE', '/health/deps'],
  ])('%s %s, without a key', async (method, path) => {
    expectRefusal(await nobody.send({ method, path }), 404, 'ROUTE_NOT_FOUND')
  })
})

describe('a path that leads nowhere', () => {
  const sent = [
    ['application/json', '{broken'],
    ['application/json', ''],
    [';;;', 'x'],
    ['text/weird', 'x'],
    ['application/json; charset=utf-16', '\0'],
  ] as const
  test.each(sent.flatMap((one) => ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, ...one] as const)))(
    'is that also for %s with a body of %j: %j',
    async (method, type, body) => {
      const ask = { method, headers: { 'content-type': type }, body }
      expectRefusal(await nobody.send({ ...ask, path: '/nonsense' }), 404, 'ROUTE_NOT_FOUND')
      expectRefusal(await acme.send({ ...ask, path: '/v1/nonsense' }), 404, 'ROUTE_NOT_FOUND')
      expectRefusal(await nobody.send({ ...ask, path: '/v1/nonsense' }), 401, 'AUTH_HEADER_MISSING')
    },
  )

  test.each([
    '/v1/run',
    '/v1/runs/x/y',
    '/v1/runs/x/events/y',
    '/v1/memory',
    '/v1/memory/items/x/y',
    '/v1/usages',
    '/v1/signals',
    '/v1/runs/%zz',
    '/v1/runs/%',
    '/v1/%c3%28',
    '/v1/runs/%ff/cancel',
    '/v1/runs/a%2',
  ])('%s is no route', async (path) => {
    expectRefusal(await acme.get(path), 404, 'ROUTE_NOT_FOUND')
    expectRefusal(await nobody.get(path), 401, 'AUTH_HEADER_MISSING')
  })

  test.each([
    '/nonsense',
    '/health',
    '/health/nonsense',
    '/v2/runs',
    '/V1/runs',
    '/health/%zz',
    '/%ff',
    '/.env',
    '/openapi.json/x',
  ])('%s is no route for those without a key, too', async (path) =>
    expectRefusal(await nobody.get(path), 404, 'ROUTE_NOT_FOUND'),
  )

  test.each([
    ...[
      '/v1/runs/',
      '//v1/runs',
      '/v1//runs',
      '/v1/runs//events',
      '/v1/./runs/../runs',
      '/v1/runs/..',
      '/v1;x/runs',
      '/v1/runs;x',
    ],
    ...[
      '/%76%31/runs',
      '/v%31/runs',
      '/%761/usage',
      '/v1/%72uns',
      '/v1%2Fruns',
      '/%2Fv1/runs',
      '/v1/runs%2F',
      '/v1/runs%3Flimit=1',
    ],
    ...[
      '/%76%31/keys',
      '/%76%31/nonsense',
      '/v1%00/runs',
      '/v1/runs%20',
      '/v1\\runs',
      '/./v1/runs',
      '/health/../v1/runs',
    ],
  ])(
    '%s is spelled strangely: refused or served to those with a key, never to those without, never a 500',
    async (path) => {
      const reply = await acme.get(path)
      expect([200, 404], reply.text).toContain(reply.status)
      expect([401, 404], reply.text).toContain((await nobody.get(path)).status)
    },
  )

  test('in absolute form needs a key as well', async () => {
    const request = 'GET http://elsewhere/v1/runs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const reply = parseRaw(await rawExchange(service.url, request))
    expect([400, 401, 404], reply.text).toContain(reply.status)
    expectRefusal(reply, reply.status, String(reply.json().reason_code))
  })

  test('of 7,000 characters is still answered', async () => {
    expectRefusal(await acme.get(`/v1/runs/${'x'.repeat(7_000)}`), 404, 'RUN_NOT_FOUND')
  })
})

describe('headers of a strange kind', () => {
  test.each([
    ['an accept that wants something else', { accept: 'text/html' }],
    ['an encoding that does not exist', { 'accept-encoding': 'nonsense' }],
    ['a range', { range: 'bytes=0-1' }],
    ['a method override', { 'x-http-method-override': 'DELETE' }],
    ['a foreign host', { host: 'evil.example', 'x-forwarded-host': 'evil.example' }],
    ['a condition', { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() }],
    ['an upgrade', { connection: 'upgrade', upgrade: 'websocket' }],
    ['an unknown header of 4 KB', { 'x-nonsense': 'x'.repeat(4_000) }],
  ])('%s change nothing', async (_case, headers) => {
    const reply = await acme.get(`/v1/runs/${runId}`, headers)
    expect([reply.status, reply.json().id]).toEqual([200, runId])
  })
})
