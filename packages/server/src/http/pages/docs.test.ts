import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docsRoutes } from './docs.ts'

const document = JSON.stringify({ openapi: '3.1.0', info: { title: 'Runwright API', version: '0.1.0' }, paths: {} })
const built = {
  'index.html': '<!doctype html><title>Runwright</title>',
  'decisions/0001-postgresql-only.html': '<!doctype html><title>PostgreSQL only</title>',
  'assets/docs.css': 'body{}',
  'assets/search-index.json': '{}',
  'images/inbox.png': 'png',
}

let folder: string
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'runwright-docs-')), 'dist')
  for (const [path, content] of Object.entries(built)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  writeFileSync(join(dirname(folder), 'package.json'), '{}')
})
afterAll(() => rmSync(dirname(folder), { recursive: true }))

const makeApp = (from = folder) => {
  const app = Fastify()
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ reason_code: 'ROUTE_NOT_FOUND' }))
  docsRoutes(app, { document, folder: from })
  return app
}

const files = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/decisions/0001-postgresql-only.html', 'text/html; charset=utf-8'],
  ['/docs/assets/docs.css', 'text/css; charset=utf-8'],
  ['/docs/assets/search-index.json', 'application/json; charset=utf-8'],
  ['/docs/images/inbox.png', 'image/png'],
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

  test.each([
    ['gzip', 'deflate, gzip;q=0.8', gunzipSync],
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
  ] as const)('is sent as %s to clients that accept it, with the same content', async (encoding, accepted, unpack) => {
    const app = makeApp()
    const plain = await app.inject({ url })
    const packed = await app.inject({ url, headers: { 'accept-encoding': accepted } })
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(unpack(packed.rawPayload).equals(plain.rawPayload)).toBe(true)
    expect(packed.headers.etag).not.toBe(plain.headers.etag)
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

test('a compression that is refused is not sent', async () => {
  const accepted = { 'accept-encoding': 'gzip;q=0, br;q=0, deflate' }
  const response = await makeApp().inject({ url: '/docs/', headers: accepted })
  expect(response.headers['content-encoding']).toBeUndefined()
})

test('a page may load only files of the service, and nothing inline', async () => {
  const { headers } = await makeApp().inject({ url: '/docs/' })
  expect(headers['content-security-policy']).toContain("default-src 'self'; style-src 'self'; img-src 'self' data:")
})

test('/docs redirects to /docs/, so that relative links work', async () => {
  const response = await makeApp().inject({ url: '/docs' })
  expect([response.statusCode, response.headers.location]).toEqual([308, 'docs/'])
})

test('without a build the page says what to do', async () => {
  const response = await makeApp(join(folder, 'missing')).inject({ url: '/docs/' })
  expect([response.statusCode, response.body]).toEqual([200, expect.stringContaining('npm run build')])
})

test.each([
  '/docs/package.json',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs/%2e%2e/package.json',
  '/docs//etc/passwd',
])('%s is not found', async (url) => {
  const response = await makeApp().inject({ url })
  expect([response.statusCode, response.json()]).toEqual([404, { reason_code: 'ROUTE_NOT_FOUND' }])
})
