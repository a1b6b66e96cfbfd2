// The pages of the sign-in through a provider, as a browser gets them.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { TestProvider } from '../support/identity-provider.ts'
import { passSignIn } from '../support/pass-sign-in.ts'
import { type Service, startService } from '../support/service.ts'

describe('without a provider', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  test('the console is told so, and there is nothing to sign in with', async () => {
    const browser = new Caller(service.url, null)
    const options = await browser.get('/console/sign-in-options')
    expect([options.status, options.json()]).toEqual([200, { name: null }])
    for (const path of ['/console/sign-in', '/console/sign-in?to=%23%2F', '/console/callback?code=x&state=y'])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404])
    expect((await browser.send({ method: 'DELETE', path: '/console/sessions' })).status).toBe(404)
  })
})

describe('at the start', () => {
  test.each<[string, (provider: TestProvider) => void, string]>([
    [
      'calls itself something else',
      (provider) => {
        provider.callsItself = 'https://login.example.com/realms/main'
      },
      'it calls itself https://login.example.com/realms/main',
    ],
    [
      'is away',
      (provider) => {
        provider.isAway = true
      },
      '',
    ],
  ])('a provider that %s is told in the log, and the service works', async (_what, change, problem) => {
    const provider = await TestProvider.start({
      people: { ada: { name: 'Ada Example', groups: ['finance'] } },
      groups: [{ group: 'finance', customer: 'acme', scopes: ['runs:read'] }],
    })
    change(provider)
    const service = await startService(provider.env)
    onTestFinished(async () => {
      await service.stop()
      await provider.stop()
    })
    const line = await service.log.nth(1, (text) => text.includes('the identity provider cannot be asked'))
    expect(JSON.parse(line)).toMatchObject({ issuer: provider.issuer, problem: expect.stringContaining(problem) })
    const browser = new Caller(service.url, null)
    const page = await browser.get('/console/sign-in')
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('Example SSO cannot be asked now.')])
    provider.isAway = false
    provider.callsItself = undefined
    expect((await browser.get('/console/sign-in')).status).toBe(302)
  })
})

describe('with a provider', () => {
  let provider: TestProvider
  let service: Service
  let browser: Caller

  beforeAll(async () => {
    provider = await TestProvider.start({
      people: { ada: { name: 'Ada Example', groups: ['finance'] } },
      groups: [{ group: 'finance', customer: 'acme', scopes: ['runs:read'] }],
      tellsTime: false,
    })
    service = await startService(provider.env)
    browser = new Caller(service.url, null)
  })
  afterAll(async () => {
    await service.stop()
    await provider.stop()
  })

  const linksIn = (page: string) =>
    [...page.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

  test('a sign-in that must be fresh, of a provider that does not tell the time, says so and can be tried again', async () => {
    const question = '#/decide/run_1/7'
    const begun = await browser.get(`/console/sign-in?to=${encodeURIComponent(question)}&fresh=1`)
    const url = new URL(begun.headers.location ?? '')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    // The provider of the test tells the time whenever it is asked.
    for (const name of ['prompt', 'max_age']) url.searchParams.delete(name)
    const cookie = begun.headers['set-cookie']?.[0]?.split(';')[0]
    const query = await passSignIn(url.href, 'ada')
    const reply = await browser.get(`/console/callback${query}`, { cookie })
    expect(reply.status).toBe(403)
    expect(reply.text).toContain('Example SSO did not say when you signed in (auth_time)')
    expect(service.log.all.join('')).toContain('"reason":"no_auth_time"')
    const again = linksIn(reply.text).find((href) => href.startsWith('sign-in?')) ?? ''
    expect(Object.fromEntries(new URLSearchParams(again.split('?')[1]))).toEqual({ to: question, fresh: '1' })
    const second = await browser.get(`/console/${again}`)
    expect(new URL(second.headers.location ?? '').searchParams.get('prompt')).toBe('login')
  })

  test('who begins too many sign-ins behind a proxy keeps out nobody else behind it', async () => {
    const begin = (client: string) => browser.get('/console/sign-in', { 'x-forwarded-for': `203.0.113.9, ${client}` })
    const statuses = (await Promise.all(Array.from({ length: 40 }, () => begin('198.51.100.1')))).map((r) => r.status)
    expect(statuses).toContain(429)
    expect((await begin('198.51.100.2')).status).toBe(302)
  })

  test('a sign-in that need not be fresh does not become so', async () => {
    const reply = await browser.get('/console/callback?state=x')
    expect(reply.status).toBe(400)
    expect(linksIn(reply.text)).toContain('sign-in?to=%23%2F')
  })
})
