import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { docsRoutes } from './docs.ts'

const document = JSON.stringify({ openapi: '3.1.0', info: { title: 'Runwright API', version: '0.1.0' }, paths: {} })

const makeApp = () => {
  const app = Fastify()
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ reason_code: 'ROUTE_NOT_FOUND' }))
  docsRoutes(app, { document })
  return app
}

const files = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/initializer.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
] as const

describe.each(files)('%s', (url, type) => {
  test('is served with its type, an ETag and nosniff', async () => {
    const response = await makeApp().inject({ url })
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
  })

  test('is gzipped for clients that accept it, with the same content', async () => {
    const app = makeApp()
    const plain = await app.inject({ url })
    const zipped = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip;q=0.8' } })
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(zipped.headers.etag).not.toBe(plain.headers.etag)
  })

  test('is not sent again to a client that has it', async () => {
    const app = makeApp()
    const { etag } = (await app.inject({ url })).headers
    const again = await app.inject({ url, headers: { 'if-none-match': `"other", W/${etag}` } })
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
  })

  test('returns the headers of GET for HEAD', async () => {
    const app = makeApp()
    const get = await app.inject({ url })
    const head = await app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers).toMatchObject({ etag: get.headers.etag, 'content-length': get.headers['content-length'] })
  })
})

test('the schema is served unchanged', async () => {
  const response = await makeApp().inject({ url: '/openapi.json' })
  expect(response.body).toBe(document)
})

test('gzip that is refused is not sent', async () => {
  const response = await makeApp().inject({ url: '/docs', headers: { 'accept-encoding': 'gzip;q=0, deflate' } })
  expect(response.headers['content-encoding']).toBeUndefined()
})

test('the page loads only its own files, has no inline script, and has a matching policy', async () => {
  const { body, headers } = await makeApp().inject({ url: '/docs' })
  const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
  const own = ['data:,', 'docs/swagger-ui.css', 'docs/swagger-ui-bundle.js', 'docs/initializer.js', 'openapi.json']
  expect(links).toEqual(own)
  expect(body).not.toMatch(/<script(?![^>]*\bsrc=)/)
  expect(body).toContain('<title>Runwright API</title>')
  expect(headers['content-security-policy']).toContain(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
  )
})

test('Swagger UI uses no validator and stores no key', async () => {
  const { body } = await makeApp().inject({ url: '/docs/initializer.js' })
  expect(body).toContain('validatorUrl: null')
  expect(body).toContain('persistAuthorization: false')
})

test('/docs/ redirects to /docs', async () => {
  const response = await makeApp().inject({ url: '/docs/' })
  expect([response.statusCode, response.headers.location]).toEqual([308, '../docs'])
})

test.each([
  '/docs/index.html',
  '/docs/package.json',
  '/docs/swagger-ui-bundle.js.map',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs/%2e%2e/package.json',
  '/docs//etc/passwd',
])('%s is not found', async (url) => {
  const response = await makeApp().inject({ url })
  expect([response.statusCode, response.json()]).toEqual([404, { reason_code: 'ROUTE_NOT_FOUND' }])
})
