// Who may call what: the Authorization header, what is open, suspended customers, and each scope against every route.
import type { KeyWithSecret, Scope } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, Caller, expectRefusal, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let nobody: Caller
const keyWith: Partial<Record<Scope, Caller>> = {}
const scopes: Scope[] = [
  'runs:read',
  'runs:write',
  'runs:signal',
  'runs:admin',
  'usage:read',
  'memory:read',
  'keys:admin',
]

beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  nobody = new Caller(service.url, null)
  // No key that a start creates can grant it.
  for (const scope of scopes) {
    const { key, secret } = (await acme.post('/v1/keys', { scopes: [scope] })).json<KeyWithSecret>()
    keyWith[scope] = new Caller(service.url, `${key.id}:${secret}`)
  }
})
afterAll(() => service.stop())

/** Every protected route of both texts, with the scope it needs. */
const routes: [method: string, path: string, scope: Scope][] = [
  ['POST', '/v1/runs', 'runs:write'],
  ['GET', '/v1/runs', 'runs:read'],
  ['GET', '/v1/runs/{id}', 'runs:read'],
  ['POST', '/v1/runs/{id}/cancel', 'runs:write'],
  ['POST', '/v1/runs/{id}/retry', 'runs:write'],
  ['POST', '/v1/runs/{id}/resume', 'runs:write'],
  ['POST', '/v1/runs/{id}/fork', 'runs:write'],
  ['POST', '/v1/runs/{id}/signal', 'runs:signal'],
  ['GET', '/v1/runs/{id}/events', 'runs:read'],
  ['GET', '/v1/runs/{id}/events/stream', 'runs:read'],
  ['GET', '/v1/usage', 'usage:read'],
  ['GET', '/v1/memory/export', 'memory:read'],
  ['GET', '/v1/memory/items', 'memory:read'],
  ['GET', '/v1/memory/items/{id}', 'memory:read'],
  ['DELETE', '/v1/runs/{id}', 'runs:admin'],
  ['DELETE', '/v1/memory/items/{id}', 'runs:admin'],
  ['POST', '/v1/keys', 'keys:admin'],
  ['GET', '/v1/keys', 'keys:admin'],
  ['POST', '/v1/keys/{id}/rotate', 'keys:admin'],
  ['DELETE', '/v1/keys/{id}', 'keys:admin'],
]
const open = ['/openapi.json', '/health/live', '/health/ready', '/health/deps']
const withId = (path: string) => path.replace('{id}', 'nonsense')

describe('the Authorization header', () => {
  test('that is missing', async () => {
    expectRefusal(await nobody.get('/v1/usage'), 401, 'AUTH_HEADER_MISSING')
  })

  test.each([
    ...[
      'Bearer',
      'Bearer ',
      'Bearer x',
      'Bearer :',
      'Bearer a:',
      'Bearer :b',
      'Basic YTpi',
      'Token a:b',
      'a:b',
      'x',
      'Bearera:b',
    ],
    ...['Bearer a b:c', 'Bearer a:b c', 'Bearer  ', 'Digest username="a"', 'Bearer,a:b'],
  ])('that is malformed: %s', async (authorization) => {
    const reply = await nobody.get('/v1/usage', { authorization })
    expect(reply.status).toBe(401)
    expectRefusal(reply, 401, 'AUTH_HEADER_MALFORMED')
  })

  test('with an unknown id answers byte for byte like one with a wrong secret', async () => {
    const headers = { 'x-request-id': 'same' }
    const [id] = service.key.split(':')
    const replies = await Promise.all(
      [`key_nobody:${'0'.repeat(24)}`, `${id}:${'0'.repeat(24)}`, `${id}:x`].map((key) =>
        new Caller(service.url, key).get('/v1/usage', headers),
      ),
    )
    for (const reply of replies) expectRefusal(reply, 401, 'API_KEY_INVALID')
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  })

  test.each([
    ['one letter more', (key: string) => `${key}0`],
    ['one letter less', (key: string) => key.slice(0, -1)],
    ['another case', (key: string) => `${key.split(':')[0]}:${(key.split(':')[1] ?? '').toUpperCase()}`],
    ['the secret of another customer', () => `key_acme:${service.otherKey.split(':')[1]}`],
    ['letters that no key has', () => 'é:"'],
    ['a very long secret', (key: string) => `${key}${'0'.repeat(5_000)}`],
  ])('with %s is not valid', async (_case, spoil) => {
    const reply = await new Caller(service.url, spoil(service.key)).get('/v1/usage')
    expect(reply.status).toBe(401)
    expect(['API_KEY_INVALID', 'AUTH_HEADER_MALFORMED']).toContain(reply.json().reason_code)
  })

  test('is the only place for a key', async () => {
    const reply = await nobody.get(`/v1/usage?authorization=${encodeURIComponent(bearer(service.key))}`)
    expectRefusal(reply, 401, 'AUTH_HEADER_MISSING')
  })

  test.each(routes)('is needed for %s %s', async (method, path) => {
    expectRefusal(await nobody.send({ method, path: withId(path) }), 401, 'AUTH_HEADER_MISSING')
  })

  test.each([
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/nonsense'],
    ['PUT', '/v1/runs'],
    ['GET', '/v1/runs/%zz'],
    ['PUT', '/v1/runs/x'],
  ])('is asked for before an unknown route below /v1: %s %s', async (method, path) => {
    expectRefusal(await nobody.send({ method, path }), 401, 'AUTH_HEADER_MISSING')
    expectRefusal(await acme.send({ method, path }), 404, 'ROUTE_NOT_FOUND')
  })

  test('never gets into the log', async () => {
    await acme.get('/v1/usage')
    await nobody.get('/v1/usage', { authorization: 'Bearer key_acme:canary-secret' })
    expect(service.log.all.join()).not.toContain(service.key.split(':')[1])
    expect(service.log.all.join()).not.toContain('canary-secret')
  })
})

test.each(open)('%s is open, whatever the header says', async (path) => {
  for (const headers of [{}, { authorization: 'nonsense' }, { authorization: 'Bearer key_x:y' }]) {
    expect((await nobody.get(path, headers)).status).toBe(200)
  }
})

const isDenied = (reply: Reply) => expectRefusal(reply, 403, 'SCOPE_DENIED')

const grants = (scope: Scope, needed: Scope): boolean =>
  needed === scope || (scope === 'runs:write' && needed === 'runs:signal')

describe.each(scopes)('a key with %s alone', (scope) => {
  test.each(routes.filter(([, , needed]) => !grants(scope, needed)))(
    'is denied %s %s, whatever the id',
    async (method, path) => {
      const caller = keyWith[scope] ?? nobody
      const run = await acme.newRun()
      for (const id of ['nonsense', run.id, 'run_00000000000000000000000000']) {
        isDenied(await caller.send({ method, path: path.replace('{id}', id) }))
      }
    },
  )

  test.each(routes.filter(([, , needed]) => grants(scope, needed)))('may %s %s', async (method, path) => {
    const reply = await (keyWith[scope] ?? nobody).send({ method, path: withId(path) })
    expect([200, 201, 400, 404]).toContain(reply.status)
    expect(reply.json().reason_code).not.toBe('ROUTE_NOT_FOUND')
  })
})

describe('403 comes before', () => {
  const reader = () => keyWith['usage:read'] ?? nobody
  test.each([
    ['a bad query', 'GET', '/v1/runs?nonsense=1', undefined],
    ['a bad cursor', 'GET', '/v1/runs/x/events?cursor=x', undefined],
    ['a missing idempotency key', 'POST', '/v1/runs', '{}'],
    ['a body that is no JSON', 'POST', '/v1/runs', '{'],
    ['a bad signal', 'POST', '/v1/runs/x/signal', '{'],
    ['a bad key body', 'POST', '/v1/keys', '{'],
    ['an unknown item', 'GET', '/v1/memory/items/x', undefined],
  ])('%s', async (_case, method, path, body) => {
    isDenied(await reader().send({ method, path, body }))
  })

  test('a conflict', async () => {
    const { id } = await acme.newRun()
    isDenied(await reader().post(`/v1/runs/${id}/retry`))
  })
})

test('a suspended customer is told so on every route, whatever the id, but not on the open ones', async () => {
  const other = new Caller(service.url, service.otherKey)
  await service.database.query({ text: "update customers set suspended_at = now() where id = 'other'" })
  await expect.poll(async () => (await other.get('/v1/usage')).status, { timeout: 10_000, interval: 100 }).toBe(403)
  for (const [method, path] of routes) {
    expectRefusal(await other.send({ method, path: withId(path) }), 403, 'CUSTOMER_SUSPENDED')
  }
  expect((await other.get('/health/live')).status).toBe(200)
  expect((await acme.get('/v1/usage')).status).toBe(200)
}, 20_000)
