// Guessing at the console's sign-in: after a few wrong codes or keys, further ones are refused before they are checked.
// How the limit recovers, and the limit for all clients together, are in `http/pages/sign-in-limiter.test.ts`.
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SignInCodes } from '../../src/access/sign-in-codes.ts'
import { BrowserSession, signIn as openSession } from '../support/console-session.ts'
import { expectRefusal, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
beforeEach(async () => {
  service = await startService({}, { signInCodes: new SignInCodes({ readApiKey: () => service.key }) })
  onTestFinished(() => service.stop())
})

/** The address of a client, as the proxy in front of the service tells it. */
const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.9, ${address}` })
const signIn = (body: unknown, headers = {}) => new BrowserSession(service.url).signIn(body, headers)
const wrongCode = { code: 'x'.repeat(43) }
const wrongKey = () => ({ api_key: `${service.key}x` })
const check = (key: string, headers = {}) =>
  new BrowserSession(service.url).get('/console/session', { authorization: `Bearer ${key}`, ...headers })

test.each<[string, () => Promise<Reply>]>([
  ['codes', () => signIn(wrongCode)],
  ['codes that a proxy has forwarded', () => signIn(wrongCode, from('198.51.100.1'))],
  ['keys', () => signIn(wrongKey())],
  ['keys, checked without a session', () => check(`${service.key}x`)],
])('of forty wrong %s, ten are checked at once, and one each six seconds', async (_kind, ask) => {
  const start = performance.now()
  const statuses: number[] = []
  for (let n = 0; n < 40; n += 1) statuses.push((await ask()).status)
  const checked = statuses.filter((status) => status === 401)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
  expect(checked.length).toBeLessThanOrEqual(10 + Math.ceil((performance.now() - start) / 6_000))
  expect(statuses.filter((status) => status === 429)).toHaveLength(40 - checked.length)
})

test('then even the right key is refused, and no other client is', async () => {
  const guesser = from('198.51.100.1')
  const browser = await openSession(service.url, service.key)
  // All at once, so that the next one comes within six seconds of the last.
  await Promise.all(Array.from({ length: 11 }, () => check(`${service.key}x`, guesser)))
  const refused = await check(service.key, guesser)
  expectRefusal(refused, 429, 'RATE_LIMITED')
  expect(refused.json().message).toBe('There were too many wrong sign-ins. Retry later.')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  // Sessions and the API go on.
  expect((await browser.who()).status).toBe(200)
  expect((await browser.get('/v1/runs')).status).toBe(200)
  expect((await check(service.key, from('198.51.100.2'))).status).toBe(200)
})
