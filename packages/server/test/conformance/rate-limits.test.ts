// 429: requests per key, queued runs per customer; what comes before it and what it does not touch.
import { randomUUID } from 'node:crypto'
import type { CreatedRun, KeyWithSecret } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Driver, rowCounts } from '../support/drive.ts'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { withToken } from '../support/tokens.ts'

describe('five requests a second', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      RUNWRIGHT_RATE_LIMIT_PER_SECOND: '5',
      RUNWRIGHT_CUSTOMER_RATE_LIMIT_PER_SECOND: '0',
    })
  })
  afterAll(() => service.stop())

  /** A key whose bucket is full, made without going through another bucket. */
  const scopes = ['runs:read', 'runs:write', 'usage:read', 'memory:read', 'tokens:create']
  let caller: Caller
  let made: string[]
  beforeAll(async () => {
    const acme = new Caller(service.url, service.key)
    const answers = await Promise.all(Array.from({ length: 8 }, () => acme.post('/v1/keys', { scopes })))
    made = answers.map((answer) => answer.json<KeyWithSecret>()).map(({ key, secret }) => `${key.id}:${secret}`)
  })
  // The clock stands still unless a test moves it: no bucket fills up again while a slow machine sends its requests.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    caller = new Caller(service.url, made.pop() ?? '')
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000)
  const burst = (count: number, path = '/v1/usage') =>
    Promise.all(Array.from({ length: count }, () => caller.get(path)))

  test('let a burst of ten through and refuse the rest with Retry-After', async () => {
    const replies = await burst(40)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 429, 'RATE_LIMITED')
  })

  test('let the key go on after the time that Retry-After names', async () => {
    const refused = (await burst(40)).find(({ status }) => status === 429)
    const seconds = Number(refused?.headers['retry-after'])
    expect(seconds).toBeLessThanOrEqual(3)
    pass(seconds)
    expect((await caller.get('/v1/usage')).status).toBe(200)
  })

  test('count per key, not per customer or address', async () => {
    await burst(40)
    expect((await new Caller(service.url, made[0] ?? '').get('/v1/usage')).status).toBe(200)
    expect((await new Caller(service.url, service.otherKey).get('/v1/usage')).status).toBe(200)
  })

  test('leave a tenth to all tokens of a subject, and the rest to others', async () => {
    const one = await withToken(caller, { subject_id: 'me' })
    const renewed = await withToken(caller, { subject_id: 'me' })
    const you = await withToken(caller, { subject_id: 'you' })
    expect((await one.get('/v1/runs')).status).toBe(200)
    for (const caller of [one, renewed]) expectRefusal(await caller.get('/v1/runs'), 429, 'RATE_LIMITED')
    expect((await you.get('/v1/runs')).status).toBe(200)
    pass(2)
    expect((await renewed.get('/v1/runs')).status).toBe(200)
  })

  test('do not hold for the open endpoints', async () => {
    await burst(40)
    const replies = await burst(30, '/health/live')
    expect(replies.every(({ status }) => status === 200)).toBe(true)
  })

  test('come after 401', async () => {
    await burst(40)
    const [id] = (caller.key ?? '').split(':')
    expectRefusal(await new Caller(service.url, `${id}:wrong`).get('/v1/usage'), 401, 'API_KEY_INVALID')
    expectRefusal(await new Caller(service.url, null).get('/v1/usage'), 401, 'AUTH_HEADER_MISSING')
  })

  test('come before 403, 400 and 404, and write nothing', async () => {
    const before = await rowCounts(service.database)
    await burst(40)
    const asks = [
      ['GET', '/v1/keys'],
      ['POST', '/v1/runs'],
      ['GET', '/v1/runs?nonsense=1'],
      ['GET', '/v1/runs/nonsense'],
      ['GET', '/v1/nonsense'],
      ['GET', '/v1/memory/items'],
    ]
    const replies = await Promise.all(asks.map(([method = '', path = '']) => caller.send({ method, path })))
    for (const reply of replies) expectRefusal(reply, 429, 'RATE_LIMITED')
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test('leave the idempotency key of a refused create unused', async () => {
    await burst(40)
    const headers = { 'idempotency-key': 'refused-by-rate' }
    expectRefusal(await caller.create(emptyRun, headers), 429, 'RATE_LIMITED')
    pass(1)
    expect((await caller.create({ ...emptyRun, input: { other: 1 } }, headers)).status).toBe(201)
  })
})

test('a rate of 0 turns the limit off', async () => {
  const service = await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' })
  onTestFinished(() => service.stop())
  const acme = new Caller(service.url, service.key)
  const replies = await Promise.all(Array.from({ length: 50 }, () => acme.get('/v1/usage')))
  expect(replies.every(({ status }) => status === 200)).toBe(true)
})

describe('a queue of three', () => {
  let service: Service
  let acme: Caller
  let runs: CreatedRun[]
  const keys = [randomUUID(), randomUUID(), randomUUID()]
  const create = (key: string, body: object = emptyRun, caller = acme) =>
    caller.create(body, { 'idempotency-key': key })

  beforeAll(async () => {
    service = await startService({ RUNWRIGHT_QUEUE_LIMIT: '3' })
    acme = new Caller(service.url, service.key)
    runs = []
    for (const key of keys) runs.push((await create(key)).json<CreatedRun>())
  })
  afterAll(() => service.stop())

  test('takes three runs and refuses the fourth with Retry-After, writing nothing', async () => {
    expect(runs.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued'])
    const before = await rowCounts(service.database)
    expectRefusal(await create('fourth'), 429, 'QUEUE_LIMIT_REACHED')
    expect(await rowCounts(service.database)).toEqual(before)
  })

  test('still answers replays and conflicts', async () => {
    expect((await create(keys[0] ?? '')).status).toBe(200)
    expectRefusal(await create(keys[0] ?? '', { ...emptyRun, input: { a: 1 } }), 409, 'IDEMPOTENCY_KEY_CONFLICT')
  })

  test('is one per customer', async () => {
    expect((await create('theirs', emptyRun, new Caller(service.url, service.otherKey))).status).toBe(201)
  })

  test('has room again when a run is cancelled or claimed, and the refused key is still good', async () => {
    await acme.post(`/v1/runs/${runs[0]?.id}/cancel`)
    const another = { ...emptyRun, input: { other: 1 } }
    await expect.poll(async () => (await create('fourth', another)).status).toBe(201)
    expectRefusal(await create('fifth'), 429, 'QUEUE_LIMIT_REACHED')
    await new Driver(service.database).toRunning(runs[1]?.id ?? '')
    await expect.poll(async () => (await create('fifth')).status).toBe(201)
  })
})

test('of thirty creates at once a queue of three takes three', async () => {
  const service = await startService({ RUNWRIGHT_QUEUE_LIMIT: '3' })
  onTestFinished(() => service.stop())
  const acme = new Caller(service.url, service.key)
  const replies = await Promise.all(Array.from({ length: 30 }, () => acme.create()))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(27).fill(429)])
})

test('a queue limit of 0 turns the limit off', async () => {
  const service = await startService({ RUNWRIGHT_QUEUE_LIMIT: '0' })
  onTestFinished(() => service.stop())
  const acme = new Caller(service.url, service.key)
  for (let n = 0; n < 5; n += 1) await acme.newRun()
})
