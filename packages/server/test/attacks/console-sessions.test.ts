// The cookie of the console: what it lets in, whom it keeps out, and when it ends.
import type { KeyWithSecret } from '@runwright/contract'
import { scopes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { BrowserSession, type SessionBody, signIn } from '../support/console-session.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const signedIn = (key = service.key) => signIn(service.url, key)

async function newKey(body: object = {}) {
  const { key, secret } = (await acme.post('/v1/keys', body)).json<KeyWithSecret>()
  return { id: key.id, apiKey: `${key.id}:${secret}` }
}

describe('a session', () => {
  test('does what its key may do, and no more', async () => {
    const { apiKey } = await newKey({ scopes: ['runs:read'] })
    const browser = await signedIn(apiKey)
    expect((await browser.get('/v1/runs')).status).toBe(200)
    expectRefusal(await browser.get('/v1/usage'), 403, 'SCOPE_DENIED')
    expect((await browser.who()).json<SessionBody>().scopes).toEqual(['runs:read'])
  })

  test('sees nothing of another customer', async () => {
    const { id } = await acme.newRun()
    const browser = await signedIn(service.otherKey)
    expectRefusal(await browser.get(`/v1/runs/${id}`), 404, 'RUN_NOT_FOUND')
    expect((await browser.who()).json<SessionBody>().customer_id).toBe('other')
  })

  test('writes, with the same checks as a key', async () => {
    const browser = await signedIn()
    const body = { input: {}, metadata: {} }
    expectRefusal(await browser.send('POST', '/v1/runs', { body }), 400, 'IDEMPOTENCY_KEY_REQUIRED')
    const headers = { 'idempotency-key': 'from-the-console' }
    expect((await browser.send('POST', '/v1/runs', { body, headers })).status).toBe(201)
  })

  test('gives way to an Authorization header', async () => {
    const browser = await signedIn()
    const reply = await browser.who({ authorization: `Bearer ${service.otherKey}` })
    expect(reply.json<SessionBody>().customer_id).toBe('other')
    expectRefusal(await browser.get('/v1/runs', { authorization: 'Bearer key_acme:wrong' }), 401, 'API_KEY_INVALID')
  })

  test.each([
    ['of another form', 'runwright_session=abc'],
    ['that was never issued', `runwright_session=${'A'.repeat(43)}`],
    ['that is empty', 'runwright_session='],
  ])('with a token %s is refused', async (_case, cookie) => {
    const browser = new BrowserSession(service.url, cookie)
    expectRefusal(await browser.get('/v1/runs'), 401, 'SESSION_ENDED')
    expectRefusal(await browser.who(), 401, 'SESSION_ENDED')
  })

  test('is not the hash that the database stores', async () => {
    const browser = await signedIn()
    const [row] = await service.database.query<{ token_hash: Buffer }>({
      text: 'select token_hash from console_sessions order by created_at desc limit 1',
      values: [],
    })
    const forged = `runwright_session=${row?.token_hash.toString('base64url')}`
    expect(forged).toHaveLength(browser.cookie?.length ?? 0)
    expectRefusal(await new BrowserSession(service.url, forged).who(), 401, 'SESSION_ENDED')
  })

  test('is not looked for in the cookies of others', async () => {
    const browser = new BrowserSession(service.url, 'theme=dark; other_session=1')
    expectRefusal(await browser.get('/v1/runs', { 'x-runwright-console': undefined }), 401, 'AUTH_HEADER_MISSING')
  })

  test('is found among the cookies of others', async () => {
    const browser = await signedIn()
    const crowd = new BrowserSession(service.url, `theme=dark; ${browser.cookie}; a=b=c`)
    expect((await crowd.who()).status).toBe(200)
  })
})

describe('a request that another site makes the browser send', () => {
  const foreign = 'https://evil.example'
  let browser: BrowserSession
  beforeAll(async () => {
    browser = await signedIn()
  })

  test.each<[string, Record<string, string | undefined>]>([
    ['without the header of the console', { 'x-runwright-console': undefined }],
    ['with another value of it', { 'x-runwright-console': '0' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', { 'sec-fetch-site': 'none' }],
    ['with a foreign origin', { 'sec-fetch-site': undefined, origin: foreign }],
    ['with the origin of a sandboxed frame', { 'sec-fetch-site': undefined, origin: 'null' }],
    ['with another port', { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:1' }],
  ])('%s is refused, whatever it wants', async (_case, headers) => {
    const body = { input: {}, metadata: {} }
    const create = { body, headers: { ...headers, 'idempotency-key': 'forged' } }
    expectRefusal(await browser.get('/v1/runs', headers), 403, 'CROSS_SITE_REQUEST')
    expectRefusal(await browser.send('POST', '/v1/runs', create), 403, 'CROSS_SITE_REQUEST')
    expectRefusal(await browser.who(headers), 403, 'CROSS_SITE_REQUEST')
    expectRefusal(await browser.signOut(headers), 403, 'CROSS_SITE_REQUEST')
    expect((await browser.who()).status).toBe(200)
  })

  test('cannot sign the browser in as somebody else', async () => {
    const reply = await new BrowserSession(service.url).signIn(
      { api_key: service.key },
      { 'sec-fetch-site': 'cross-site' },
    )
    expectRefusal(reply, 403, 'CROSS_SITE_REQUEST')
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  test('is told apart from one of the same origin by the Host header', async () => {
    expect((await browser.get('/v1/runs', { 'sec-fetch-site': undefined, origin: service.url })).status).toBe(200)
  })

  test('gets no permission from CORS to send the header of the console or cookies', async () => {
    const own = await startService({ RUNWRIGHT_CORS_ORIGINS: foreign })
    onTestFinished(() => own.stop())
    const preflight = await new Caller(own.url, null).send({
      method: 'OPTIONS',
      path: '/v1/runs',
      headers: {
        origin: foreign,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-runwright-console',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).not.toMatch(/x-runwright-console/i)
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

describe('a session ends', () => {
  test('on sign-out, for all tabs, and its streams too', async () => {
    const { id } = await acme.newRun()
    const browser = await signedIn()
    const secondTab = new BrowserSession(service.url, browser.cookie)
    const stream = await secondTab.caller.stream(`/v1/runs/${id}/events/stream`, {
      'x-runwright-console': '1',
      cookie: browser.cookie,
    })
    const withKey = await acme.stream(`/v1/runs/${id}/events/stream`)
    onTestFinished(() => withKey.close())
    expect(stream.status).toBe(200)
    const signOut = await browser.signOut()
    expect(signOut.status).toBe(204)
    expect(browser.cookie).toBeUndefined()
    expectRefusal(await secondTab.get('/v1/runs'), 401, 'SESSION_ENDED')
    await stream.until(({ text }) => text.includes('SESSION_ENDED'), 30_000)
    await stream.closed
    expect(withKey.text).not.toContain('event: error')
  }, 40_000)

  test('on sign-out also if nothing is signed in any more', async () => {
    const browser = await signedIn()
    const secondTab = new BrowserSession(service.url, browser.cookie)
    await browser.signOut()
    expect((await secondTab.signOut()).status).toBe(204)
    expect((await new BrowserSession(service.url).signOut()).status).toBe(204)
  })

  test('when its key is revoked', async () => {
    const { id, apiKey } = await newKey()
    const browser = await signedIn(apiKey)
    await acme.send({ method: 'DELETE', path: `/v1/keys/${id}` })
    expectRefusal(await browser.get('/v1/runs'), 401, 'API_KEY_REVOKED')
    expectRefusal(await browser.who(), 401, 'API_KEY_REVOKED')
    expect((await browser.signOut()).status).toBe(204)
  })

  test('at the latest when its key expires, and the cookie with it', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const { apiKey } = await newKey({ expires_at })
    const browser = new BrowserSession(service.url)
    const reply = await browser.signIn({ api_key: apiKey })
    expect(reply.json<SessionBody>().expires_at).toBe(expires_at)
    expect(Number(/Max-Age=(\d+)/.exec(String(reply.headers['set-cookie']))?.[1])).toBeLessThanOrEqual(3_600)
    expect((await browser.who()).json<SessionBody>().expires_at).toBe(expires_at)
  })

  test('with the secret that it was opened with: not before the overlap of a rotation, and then for good', async () => {
    const { id, apiKey } = await newKey()
    const browser = await signedIn(apiKey)
    await acme.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 600 })
    const { expires_at } = (await browser.who()).json<SessionBody>()
    const left = Date.parse(expires_at ?? '') - Date.now()
    expect(left).toBeGreaterThan(500_000)
    expect(left).toBeLessThanOrEqual(600_000)
    await acme.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 0 })
    expectRefusal(await browser.get('/v1/runs'), 401, 'SESSION_ENDED')
    const [stored] = await service.database.query({
      text: 'select 1 from console_sessions where key_id = $1',
      values: [id],
    })
    expect(stored).toBeDefined()
  })

  test('opened with an old secret, it cannot rotate its key', async () => {
    const { id, apiKey } = await newKey({ scopes: [...scopes] })
    const browser = await signedIn(apiKey)
    await acme.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 600 })
    expectRefusal(await browser.send('POST', `/v1/keys/${id}/rotate`), 403, 'SCOPE_DENIED')
  })
})

describe('GET /console/session', () => {
  test('tells the holder of a key the same, without a cookie and without the header of the console', async () => {
    const reply = await acme.get('/console/session')
    expect(reply.status).toBe(200)
    expect(reply.json<SessionBody>()).toMatchObject({ key_id: 'key_acme', customer_id: 'acme', expires_at: null })
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  test('tells nothing without either', async () => {
    expectRefusal(await new Caller(service.url, null).get('/console/session'), 401, 'AUTH_HEADER_MISSING')
  })
})
