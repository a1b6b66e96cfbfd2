import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleRoutes } from './console.ts'

const page = '<!doctype html><script type="module" src="./assets/index-4aB_-9.js"></script>'
const files = {
  'index.html': page,
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/index-4aB_-9.js': 'export {}',
  'assets/index-Zz.css': 'body{}',
  'assets/inter-9.woff2': 'wOF2',
  'assets/index-4aB_-9.js.map': '{}',
  '.build-stamp': 'secret',
  'assets/:id.js': 'pattern',
}

let folder: string
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'runwright-console-')), 'dist')
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  writeFileSync(join(dirname(folder), 'package.json'), '{}')
})
afterAll(() => rmSync(dirname(folder), { recursive: true }))

const makeApp = (from: URL | string = folder) => {
  const app = Fastify()
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'content-security-policy': "default-src 'none'" })
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ reason_code: 'ROUTE_NOT_FOUND' }))
  consoleRoutes(app, { folder: from })
  return app
}

const immutable = 'public, max-age=31536000, immutable'
const served = [
  ['/console/', 'index.html', 'text/html; charset=utf-8', 'no-cache'],
  ['/console/favicon.svg', 'favicon.svg', 'image/svg+xml', 'no-cache'],
  ['/console/assets/index-4aB_-9.js', 'assets/index-4aB_-9.js', 'text/javascript; charset=utf-8', immutable],
  ['/console/assets/index-Zz.css', 'assets/index-Zz.css', 'text/css; charset=utf-8', immutable],
  ['/console/assets/inter-9.woff2', 'assets/inter-9.woff2', 'font/woff2', immutable],
] as const

describe.each(served)('%s', (url, file, type, caching) => {
  test('is the built file, with its type, caching headers and content security policy', async () => {
    const response = await makeApp().inject({ url })
    expect([response.statusCode, response.body]).toEqual([200, files[file]])
    expect(response.headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      'content-security-policy':
        "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })

  test('returns the headers of GET for HEAD', async () => {
    const app = makeApp()
    const get = await app.inject({ url })
    const head = await app.inject({ method: 'HEAD', url })
    const { etag, 'content-length': length, 'cache-control': cacheControl } = get.headers
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers).toMatchObject({ etag, 'content-length': length, 'cache-control': cacheControl })
  })

  test('is not sent again to a client that has it', async () => {
    const app = makeApp()
    const { etag } = (await app.inject({ url })).headers
    const again = await app.inject({ url, headers: { 'if-none-match': String(etag) } })
    expect([again.statusCode, again.body, again.headers['cache-control']]).toEqual([304, '', caching])
  })

  test('is gzipped for clients that accept it', async () => {
    const response = await makeApp().inject({ url, headers: { 'accept-encoding': 'gzip' } })
    expect(gunzipSync(response.rawPayload).toString()).toBe(files[file])
  })
})

test.each(['GET', 'HEAD'] as const)('%s /console redirects to /console/, also below a path', async (method) => {
  const response = await makeApp().inject({ method, url: '/console' })
  expect([response.statusCode, response.headers.location]).toEqual([308, 'console/'])
})

test.each([
  '/console/index.html',
  '/console/.build-stamp',
  '/console/assets/',
  '/console/assets/index-4aB_-9.js.map',
  '/console/assets/anything.js',
  '/console/../package.json',
  '/console/..%2fpackage.json',
  '/console/%2e%2e/package.json',
  '/console/assets/..%2f..%2f..%2fpackage.json',
  '/console//etc/passwd',
  '/console/runs',
])('%s is not found', async (url) => {
  const response = await makeApp().inject({ url })
  expect([response.statusCode, response.json()]).toEqual([404, { reason_code: 'ROUTE_NOT_FOUND' }])
  expect(response.headers['cache-control']).toBe('no-store')
})

test('the folder may be a URL', async () => {
  const response = await makeApp(pathToFileURL(`${folder}/`)).inject({ url: '/console/' })
  expect(response.body).toBe(page)
})

test('a later build is not served in part', async () => {
  const app = makeApp()
  writeFileSync(join(folder, 'index.html'), 'new')
  const response = await app.inject({ url: '/console/' })
  writeFileSync(join(folder, 'index.html'), page)
  expect(response.body).toBe(page)
})

describe('without a build', () => {
  test('a page says how to build it', async () => {
    const response = await makeApp(join(folder, 'nowhere')).inject({ url: '/console/' })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.body).toContain('Run <code>npm run build</code>')
  })

  test('/console redirects to it', async () => {
    const response = await makeApp(join(folder, 'nowhere')).inject({ url: '/console' })
    expect(response.headers.location).toBe('console/')
  })
})
