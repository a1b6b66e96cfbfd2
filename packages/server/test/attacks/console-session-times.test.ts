// What depends on time, with a clock that stands still unless a test advances it.
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { BrowserSession, signIn } from '../support/console-session.ts'
import { expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let own: Service
beforeEach(async () => {
  // Intervals too: one that fires late by seconds would tell the service that it is overloaded.
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  own = await startService()
  onTestFinished(async () => {
    await own.stop()
    vi.useRealTimers()
  })
})

test('sign-ins are limited per address', async () => {
  const browser = new BrowserSession(own.url)
  const statuses: number[] = []
  for (let n = 0; n < 21; n += 1) statuses.push((await browser.signIn({ api_key: own.key })).status)
  expect(statuses).toEqual([...Array(20).fill(201), 429])
  vi.advanceTimersByTime(100)
  expect((await browser.signIn({ api_key: own.key })).status).toBe(201)
})

test('a session is refused while its customer is suspended', async () => {
  const browser = await signIn(own.url, own.key)
  const suspend = (at: string) =>
    own.database.query({ text: `update customers set suspended_at = ${at} where id = 'acme'`, values: [] })
  await suspend('now()')
  vi.advanceTimersByTime(3_001)
  expectRefusal(await browser.get('/v1/runs'), 403, 'CUSTOMER_SUSPENDED')
  expectRefusal(await browser.who(), 403, 'CUSTOMER_SUSPENDED')
  expectRefusal(await new BrowserSession(own.url).signIn({ api_key: own.key }), 403, 'CUSTOMER_SUSPENDED')
  await suspend('null')
  vi.advanceTimersByTime(3_001)
  expect((await browser.get('/v1/runs')).status).toBe(200)
})
