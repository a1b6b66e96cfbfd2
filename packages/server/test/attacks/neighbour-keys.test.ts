// A customer with many keys has no more than one customer's share of requests, streams and keys, and no key hands on
// more than it has.
import type { KeyWithSecret } from '@runwright/contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Caller, expectRefusal } from '../support/http.ts'
import { startService } from '../support/service.ts'

async function start(env: Record<string, string> = {}) {
  const service = await startService(env)
  onTestFinished(() => service.stop())
  return { service, acme: new Caller(service.url, service.key), other: new Caller(service.url, service.otherKey) }
}

const holder = (url: string, { key, secret }: KeyWithSecret) => new Caller(url, `${key.id}:${secret}`)

async function keysOf(acme: Caller, count: number): Promise<Caller[]> {
  const callers: Caller[] = []
  for (let n = 0; n < count; n += 1) {
    const reply = await acme.post('/v1/keys', {})
    expect(reply.status, reply.text).toBe(201)
    callers.push(holder(acme.url, reply.json<KeyWithSecret>()))
  }
  return callers
}

/** No bucket fills up while a slow machine sends its requests. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

describe('the rate of a customer', () => {
  test('is that of four keys, however many it has; another customer has its own', async () => {
    stopClock()
    const { acme, other } = await start({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '10' })
    const callers = await keysOf(acme, 8)
    vi.advanceTimersByTime(1_000)
    const replies = await Promise.all(
      callers.flatMap((caller) => Array.from({ length: 20 }, () => caller.get('/v1/runs'))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(80)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 429, 'RATE_LIMITED')
    expect(replies.find(({ status }) => status === 429)?.json().message).toMatch(/customer .* 40 requests per second/)
    expect((await other.get('/v1/runs')).status).toBe(200)
  })

  test('is the setting, if it is set, and 0 turns it off', async () => {
    const statuses = async (limit: string) => {
      const { acme } = await start({ RUNWRIGHT_CUSTOMER_RATE_LIMIT_PER_SECOND: limit })
      return (await Promise.all(Array.from({ length: 20 }, () => acme.get('/v1/runs')))).map(({ status }) => status)
    }
    expect((await statuses('1')).filter((status) => status === 429).length).toBeGreaterThan(10)
    expect(await statuses('0')).toEqual(Array(20).fill(200))
  })

  test('is not used up by a key beyond its own limit', async () => {
    stopClock()
    const { acme } = await start({
      RUNWRIGHT_RATE_LIMIT_PER_SECOND: '2',
      RUNWRIGHT_CUSTOMER_RATE_LIMIT_PER_SECOND: '5',
    })
    const [quiet] = await keysOf(acme, 1)
    vi.advanceTimersByTime(1_000)
    const replies = await Promise.all(Array.from({ length: 100 }, () => acme.get('/v1/runs')))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(4)
    expect((await quiet?.get('/v1/runs'))?.status).toBe(200)
  })
})

test('a customer has at most 200 keys, also if it creates many at once; a revoked one makes room', async () => {
  const { acme, other } = await start({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' })
  await keysOf(acme, 190)
  const replies = await Promise.all(Array.from({ length: 30 }, () => acme.post('/v1/keys', {})))
  const created = replies.filter(({ status }) => status === 201)
  expect(created).toHaveLength(9)
  for (const reply of replies.filter(({ status }) => status !== 201)) expectRefusal(reply, 409, 'LIMIT_REACHED')
  expect((await other.post('/v1/keys', {})).status).toBe(201)
  const { key } = created[0]?.json<KeyWithSecret>() ?? { key: { id: '' } }
  expect((await acme.send({ method: 'DELETE', path: `/v1/keys/${key.id}` })).status).toBe(200)
  expect((await acme.post('/v1/keys', {})).status).toBe(201)
  expectRefusal(await acme.post('/v1/keys', {}), 409, 'LIMIT_REACHED')
})

describe('a key hands on no more than it has', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

  async function startWithAdmin() {
    const { acme } = await start()
    const admin = (
      await acme.post('/v1/keys', { scopes: ['keys:admin', 'runs:read'], expires_at: inAnHour() })
    ).json<KeyWithSecret>()
    return { acme, admin, caller: holder(acme.url, admin) }
  }

  test('an expiring key creates only keys that end with it, and those the same', async () => {
    const { caller, admin } = await startWithAdmin()
    for (const expires_at of ['2099-01-01T00:00:00Z', new Date(Date.now() + 3_700_000).toISOString()]) {
      expectRefusal(await caller.post('/v1/keys', { expires_at }), 403, 'SCOPE_DENIED')
    }
    const child = (await caller.post('/v1/keys', { scopes: ['keys:admin'] })).json<KeyWithSecret>()
    expect(child.key.expires_at).toBe(admin.key.expires_at)
    const grandchild = await holder(caller.url, child).post('/v1/keys', { scopes: ['keys:admin'] })
    expect(grandchild.json<KeyWithSecret>().key.expires_at).toBe(admin.key.expires_at)
    expectRefusal(await caller.post('/v1/keys', { scopes: ['runs:write'] }), 403, 'SCOPE_DENIED')
  })

  test('it does not get the secret of a stronger key by rotating it', async () => {
    const { acme, caller } = await startWithAdmin()
    const idOf = async (body: object) => (await acme.post('/v1/keys', body)).json<KeyWithSecret>().key.id
    const endless = await idOf({ scopes: ['runs:read'] })
    const stronger = await idOf({ scopes: ['runs:write'], expires_at: new Date(Date.now() + 60_000).toISOString() })
    const weaker = await idOf({ scopes: ['runs:read'], expires_at: new Date(Date.now() + 60_000).toISOString() })
    expectRefusal(await caller.post(`/v1/keys/${endless}/rotate`), 403, 'SCOPE_DENIED')
    expectRefusal(await caller.post(`/v1/keys/${stronger}/rotate`), 403, 'SCOPE_DENIED')
    expect((await caller.post(`/v1/keys/${weaker}/rotate`)).status).toBe(200)
  })

  test('rotating itself does not prolong it', async () => {
    const { caller, admin } = await startWithAdmin()
    const rotated = await caller.post(`/v1/keys/${admin.key.id}/rotate`, { overlap_seconds: 2_592_000 })
    expect(rotated.json<KeyWithSecret>().key.expires_at).toBe(admin.key.expires_at)
  })

  test('an old secret neither rotates its key again nor creates keys that outlive the overlap', async () => {
    const { acme } = await start()
    const admin = (await acme.post('/v1/keys', { scopes: ['keys:admin', 'runs:read'] })).json<KeyWithSecret>()
    const leaked = holder(acme.url, admin)
    const rotated = (await acme.post(`/v1/keys/${admin.key.id}/rotate`, { overlap_seconds: 600 })).json<KeyWithSecret>()
    const latest = Date.now() + 600_000
    expectRefusal(await leaked.post(`/v1/keys/${admin.key.id}/rotate`, { overlap_seconds: 0 }), 403, 'SCOPE_DENIED')
    expectRefusal(await leaked.post('/v1/keys', { expires_at: '2099-01-01T00:00:00Z' }), 403, 'SCOPE_DENIED')
    const child = (await leaked.post('/v1/keys', {})).json<KeyWithSecret>()
    expect(Date.parse(child.key.expires_at ?? '')).toBeLessThanOrEqual(latest)
    expect((await holder(acme.url, rotated).get('/v1/runs')).status).toBe(200)
    expect((await holder(acme.url, rotated).post('/v1/keys', {})).json<KeyWithSecret>().key.expires_at).toBeNull()
  })
})
