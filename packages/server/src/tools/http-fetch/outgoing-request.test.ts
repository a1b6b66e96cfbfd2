import { describe, expect, test } from 'vitest'
import type { FetchInput } from './fetch-input.ts'
import { type OutgoingRequest, prepareRequest, redirectRequest } from './outgoing-request.ts'

const url = 'https://shop.example/a/b?c'
const prepare = (input: Partial<FetchInput> = {}): OutgoingRequest =>
  prepareRequest({ url, ...input }, { idempotencyKey: 'key-1' })
const headersOf = (request: OutgoingRequest | undefined) => Object.fromEntries(request?.headers ?? [])
const own = { accept: '*/*', 'user-agent': 'runwright' }

describe('a request', () => {
  test.each(['GET', 'HEAD'] as const)('of method %s has our headers and no more', (method) => {
    expect(headersOf(prepare({ method }))).toEqual(own)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)(
    'of method %s has the key of the call',
    (method) => {
      expect(headersOf(prepare({ method }))).toEqual({ ...own, 'idempotency-key': 'key-1' })
    },
  )

  test.each([
    ['a text', 'text/plain;charset=UTF-8', 'a text'],
    ['', 'text/plain;charset=UTF-8', ''],
    [{ a: 1 }, 'application/json', '{"a":1}'],
    [false, 'application/json', 'false'],
    [null, undefined, undefined],
  ])('has the content type of its body: %j', (body, type, text) => {
    const request = prepare({ method: 'POST', body })
    expect([request.body, request.headers.get('content-type')]).toEqual([text, type])
  })

  test('has the headers of the caller rather than ours', () => {
    const headers = { Accept: 'text/csv', 'USER-AGENT': 'me', 'Content-Type': 'x/y', 'Idempotency-Key': 'mine' }
    expect(headersOf(prepare({ method: 'POST', body: {}, headers }))).toEqual({
      accept: 'text/csv',
      'user-agent': 'me',
      'content-type': 'x/y',
      'idempotency-key': 'mine',
    })
  })
})

const secrets = { authorization: 'Bearer x', cookie: 'a=b', 'x-api-key': 'y', 'accept-language': 'de' }
const turn = (request: OutgoingRequest, status: number, location: string | undefined = '/next') =>
  redirectRequest(request, { status, location })

describe('a redirect', () => {
  test.each([
    ['/next', 'https://shop.example/next'],
    ['next', 'https://shop.example/a/next'],
    ['?q', 'https://shop.example/a/b?q'],
    ['//other.example/x', 'https://other.example/x'],
    ['http://127.0.0.1/', 'http://127.0.0.1/'],
    ['file:///etc/passwd', 'file:///etc/passwd'],
  ])('to %s leads to %s, to be checked like any other', (location, target) => {
    expect(turn(prepare(), 302, location)?.url.href).toBe(target)
  })

  test.each([
    ['GET', { 301: 'GET', 302: 'GET', 303: 'GET', 307: 'GET', 308: 'GET' }],
    ['HEAD', { 301: 'HEAD', 302: 'HEAD', 303: 'HEAD', 307: 'HEAD', 308: 'HEAD' }],
    ['POST', { 301: 'GET', 302: 'GET', 303: 'GET', 307: 'POST', 308: 'POST' }],
    ['PUT', { 301: 'PUT', 302: 'PUT', 303: 'GET', 307: 'PUT', 308: 'PUT' }],
    ['DELETE', { 301: 'DELETE', 302: 'DELETE', 303: 'GET', 307: 'DELETE', 308: 'DELETE' }],
  ] as const)('of a %s turns the method as browsers do', (method, turned) => {
    const results = Object.keys(turned).map((status) => [status, turn(prepare({ method }), Number(status))?.method])
    expect(Object.fromEntries(results)).toEqual(turned)
  })

  test.each([200, 201, 300, 304, 305, 306, 400])('is not one with status %d', (status) => {
    expect(turn(prepare(), status)).toBeUndefined()
  })

  test('is not one without a location', () => {
    expect(redirectRequest(prepare(), { status: 302, location: undefined })).toBeUndefined()
  })

  test('to another host is final if the request contains sensitive values', () => {
    const request = prepareRequest(
      { url, headers: { accept: 's3cret' } },
      { idempotencyKey: 'k', carriesSecrets: true },
    )
    expect(redirectRequest(request, { status: 302, location: 'https://evil.example/' })).toBeUndefined()
    expect(redirectRequest(request, { status: 302, location: '/next' })?.url.href).toBe('https://shop.example/next')
  })

  test.each(['http://', 'http://a b/', `/${'x'.repeat(9000)}`])('to an invalid URL is an error', (location) => {
    expect(() => turn(prepare(), 302, location)).toThrow('"shop.example" redirects to an invalid URL.')
  })

  test('within the origin keeps headers, body and key', () => {
    const request = prepare({ method: 'POST', body: { a: 1 }, headers: secrets })
    expect(turn(request, 307)).toEqual({ ...request, url: new URL('https://shop.example/next') })
  })

  test('that turns into a GET loses the body, all about it, and the key', () => {
    const headers = { ...secrets, 'content-language': 'de' }
    const turned = turn(prepare({ method: 'POST', body: 'x', headers }), 303)
    expect(turned?.body).toBeUndefined()
    expect(headersOf(turned)).toEqual({ ...own, ...secrets })
  })

  test.each([
    ['host', 'https://other.example/'],
    ['subdomain', 'https://www.shop.example/'],
    ['scheme', 'http://shop.example/'],
    ['port', 'https://shop.example:80/'],
  ])('to another %s takes nothing along that could be a secret', (_what, location) => {
    const turned = turn(prepare({ headers: { ...secrets, Accept: 'text/csv' } }), 302, location)
    expect(headersOf(turned)).toEqual({ ...own, accept: 'text/csv', 'accept-language': 'de' })
  })

  test('to another origin and back does not bring them back', () => {
    const away = turn(prepare({ headers: secrets }), 302, 'https://other.example/')
    expect(headersOf(away && turn(away, 302, url))).toEqual({ ...own, 'accept-language': 'de' })
  })

  test.each([
    ['POST', 307],
    ['POST', 308],
    ['PUT', 301],
    ['DELETE', 302],
  ] as const)('of a %s with %d to another origin is not followed', (method, status) => {
    expect(turn(prepare({ method }), status, 'https://other.example/')).toBeUndefined()
  })

  test('of a POST to another origin is followed where it turns into a GET', () => {
    const turned = turn(prepare({ method: 'POST', body: 'x', headers: secrets }), 303, 'https://other.example/')
    expect(turned).toMatchObject({ method: 'GET', body: undefined })
    expect(headersOf(turned)).toEqual({ ...own, 'accept-language': 'de' })
  })
})
