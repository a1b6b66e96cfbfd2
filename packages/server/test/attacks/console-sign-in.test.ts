// Signing in to the console: with a key, with a sign-in link, and how often.
import { scopes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SignInCodes } from '../../src/access/sign-in-codes.ts'
import { BrowserSession, type SessionBody, signIn } from '../support/console-session.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { withToken } from '../support/tokens.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const thirtyDays = 30 * 24 * 3600

describe('signing in with a key', () => {
  test('sets a cookie that scripts cannot read and other sites do not get, and says who is signed in', async () => {
    const reply = await new BrowserSession(service.url).signIn({ api_key: ` ${service.key}\n` })
    expect(reply.status).toBe(201)
    const [cookie = '', ...others] = reply.headers['set-cookie'] ?? []
    expect(others).toEqual([])
    expect(cookie).toMatch(/^runwright_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    const maxAge = Number(/Max-Age=(\d+)/.exec(cookie)?.[1])
    expect(maxAge).toBeGreaterThan(thirtyDays - 60)
    expect(maxAge).toBeLessThanOrEqual(thirtyDays)
    const body = reply.json<SessionBody>()
    expect(body).toEqual({
      key_id: 'key_acme',
      key_name: 'bootstrap',
      person: null,
      roles: [],
      signs_in: false,
      customer_id: 'acme',
      scopes: expect.arrayContaining([...scopes]),
      expires_at: expect.any(String),
    })
    expect(reply.text).not.toContain(service.key.split(':')[1])
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  test.each([
    ['a page of https', { origin: 'https://runwright.example' }],
    ['a proxy that says so', { 'x-forwarded-proto': 'https, http' }],
  ])('restricts the cookie to https and to this host for %s', async (_case, headers) => {
    const browser = new BrowserSession(service.url)
    const reply = await browser.signIn({ api_key: service.key }, headers)
    expect(reply.headers['set-cookie']?.[0]).toMatch(
      /^__Host-runwright_session=[\w-]{43}; Path=\/; .*; Secure; Max-Age=/,
    )
    expect((await browser.get('/v1/runs')).status).toBe(200)
  })

  test('stores only a hash of the token', async () => {
    const { cookie = '' } = await signIn(service.url, service.key)
    const rows = await service.database.query({ text: 'select * from console_sessions', values: [] })
    const stored = JSON.stringify(rows, (_key, value) => (value?.type === 'Buffer' ? toText(value.data) : value))
    expect(stored).toContain('key_acme')
    expect(stored).not.toContain(cookie.split('=')[1])
  })

  test.each<[string, (key: string) => unknown, number, string]>([
    ['a wrong secret', (key) => ({ api_key: `${key}x` }), 401, 'API_KEY_INVALID'],
    ['an unknown key', () => ({ api_key: 'key_nope:secret' }), 401, 'API_KEY_INVALID'],
    ['something else than a key', () => ({ api_key: 'hello' }), 401, 'API_KEY_INVALID'],
    ['no body', () => undefined, 400, 'REQUEST_MALFORMED'],
    ['another body', () => ({ key: 'x' }), 400, 'REQUEST_MALFORMED'],
    ['broken JSON', () => '{', 400, 'REQUEST_MALFORMED'],
    ['a body of 5 kB', () => ({ api_key: 'x'.repeat(5_000) }), 400, 'REQUEST_MALFORMED'],
    ['a code that was never issued', () => ({ code: 'x'.repeat(43) }), 401, 'SIGN_IN_CODE_INVALID'],
  ])('refuses %s and sets no cookie', async (_case, body, status, reason) => {
    const reply = await new BrowserSession(service.url).signIn(body(service.key))
    expectRefusal(reply, status, reason)
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  test('again ends the session before it', async () => {
    const browser = await signIn(service.url, service.key)
    const before = new BrowserSession(service.url, browser.cookie)
    expect((await browser.signIn({ api_key: service.key })).status).toBe(201)
    expect((await browser.who()).status).toBe(200)
    expectRefusal(await before.who(), 401, 'SESSION_ENDED')
  })
})

describe('who is signed in', () => {
  const whoIs = (token: Caller) => token.get('/console/session')

  test('is told to a token without limits', async () => {
    const token = await withToken(new Caller(service.url, service.key), {})
    expect((await whoIs(token)).json()).toMatchObject({ key_id: 'key_acme', scopes: ['runs:read'], roles: [] })
  })

  test('is not told to a token of an end user: it would name the key, the customer and the person', async () => {
    const token = await withToken(new Caller(service.url, service.key), { subject_id: 'me' })
    const reply = await whoIs(token)
    expectRefusal(reply, 403, 'TOKEN_LIMITED')
    expect(reply.text).not.toMatch(/bootstrap|acme/)
  })
})

describe('a sign-in link', () => {
  async function start() {
    const codes: SignInCodes = new SignInCodes({ readApiKey: () => own.key })
    const own = await startService({}, { signInCodes: codes })
    onTestFinished(() => own.stop())
    return { codes, browser: new BrowserSession(own.url) }
  }

  test('signs in as the local key, once', async () => {
    const { codes, browser } = await start()
    const code = codes.issue()
    const reply = await browser.signIn({ code })
    expect(reply.status).toBe(201)
    expect(reply.json<SessionBody>()).toMatchObject({ key_id: 'key_acme', customer_id: 'acme' })
    expect((await browser.get('/v1/runs')).status).toBe(200)
    expectRefusal(await browser.signIn({ code }), 401, 'SIGN_IN_CODE_INVALID')
  })

  test.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'is refused with the header %s: the browser may be on another machine',
    async (name) => {
      const { codes, browser } = await start()
      const code = codes.issue()
      expectRefusal(await browser.signIn({ code }, { [name]: '127.0.0.1' }), 401, 'SIGN_IN_CODE_INVALID')
      expect((await browser.signIn({ code })).status).toBe(201)
    },
  )
})

const toText = (bytes: readonly number[]): string => Buffer.from(bytes).toString('base64url')

describe('a code for a link', () => {
  const codesPath = '/console/sign-in-codes'
  let local: Service
  let localKey = ''
  beforeAll(async () => {
    local = await startService({}, { signInCodes: new SignInCodes({ readApiKey: () => localKey }) })
    localKey = local.key
  })
  afterAll(() => local.stop())
  const ask = (key: string, headers = {}, url = local.url) =>
    new Caller(url, key).send({ method: 'POST', path: codesPath, headers })

  test('signs in as the local key, once', async () => {
    const reply = await ask(local.key)
    expect([reply.status, reply.headers['cache-control']]).toEqual([201, 'no-store'])
    const { code } = reply.json<{ code: string }>()
    expect((await new BrowserSession(local.url).signIn({ code })).json<SessionBody>().key_id).toBe('key_acme')
    expectRefusal(await new BrowserSession(local.url).signIn({ code }), 401, 'SIGN_IN_CODE_INVALID')
  })

  test('is given to no other key, to no proxy, and not without a data folder', async () => {
    expectRefusal(await ask(local.otherKey), 401, 'SIGN_IN_CODE_INVALID')
    expectRefusal(await ask(`${local.key}x`), 401, 'API_KEY_INVALID')
    expectRefusal(await ask(local.key, { 'x-forwarded-for': '192.0.2.1' }), 401, 'SIGN_IN_CODE_INVALID')
    expectRefusal(await ask(service.key, {}, service.url), 401, 'SIGN_IN_CODE_INVALID')
  })

  test('is not given to a token of the local key: it would be good for all that the key may do', async () => {
    const token = await withToken(new Caller(local.url, local.key), { expires_in: 60 })
    expectRefusal(await ask(token.key ?? ''), 401, 'SIGN_IN_CODE_INVALID')
  })

  test('is not given to a session of the console', async () => {
    const browser = await signIn(local.url, local.key)
    expectRefusal(await browser.send('POST', codesPath), 401, 'API_KEY_INVALID')
  })
})
