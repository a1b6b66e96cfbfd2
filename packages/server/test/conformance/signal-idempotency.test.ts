// The idempotency key of a signal, in the body or in the header: a repeated key is the first one's answer again.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let driver: Driver
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  driver = new Driver(service.database)
})
afterAll(() => service.stop())

type Place = 'body' | 'header'
const places: Place[] = ['body', 'header']

const signal = (id: string, body: object, headers = {}) => acme.post(`/v1/runs/${id}/signal`, body, headers)
const keyed = (id: string, body: object, key: string, place: Place = 'body') =>
  place === 'body' ? signal(id, { ...body, idempotency_key: key }) : signal(id, body, { 'idempotency-key': key })

async function waitingRun(): Promise<{ id: string; seq: number; key: string }> {
  const { id } = await acme.newRun()
  return { id, seq: await driver.toAwaiting(id), key: randomUUID() }
}

const isDone = { ok: true, request_id: expect.any(String) }

describe.each(places)('a key in the %s, repeated', (place) => {
  test('answers 200 again and has no second effect', async () => {
    const { id, key } = await waitingRun()
    await keyed(id, { action: 'approve' }, key, place)
    const before = await acme.events(id)
    const again = await keyed(id, { action: 'approve' }, key, place)
    expect([again.status, again.json()]).toEqual([200, isDone])
    expect(await acme.events(id)).toEqual(before)
  })

  const later: [string, (id: string) => unknown][] = [
    ['waits again', (id) => driver.toAwaiting(id)],
    ['has succeeded', (id) => driver.toSucceeded(id)],
    ['has failed', (id) => driver.toFailed(id)],
    ['was cancelled', (id) => acme.post(`/v1/runs/${id}/cancel`)],
  ]
  test.each(later)('answers 200 also after the run %s', async (_state, move) => {
    const { id, key } = await waitingRun()
    await keyed(id, { action: 'submit_input', payload: 1 }, key, place)
    await move(id)
    const before = await acme.events(id)
    expect((await keyed(id, { action: 'submit_input', payload: 1 }, key, place)).status).toBe(200)
    expect(await acme.events(id)).toEqual(before)
  })

  test('answers 200 after it rejected', async () => {
    const { id, key } = await waitingRun()
    await keyed(id, { action: 'reject' }, key, place)
    expect((await keyed(id, { action: 'reject' }, key, place)).json()).toEqual(isDone)
    expect((await acme.run(id)).status).toBe('failed')
  })

  const first = { action: 'submit_input', payload: { a: [1, 2] } }
  test.each([
    ['another action', { ...first, action: 'approve' }],
    ['another payload', { ...first, payload: { a: [2, 1] } }],
    ['no payload', { action: 'submit_input' }],
    ['an await_seq', { ...first, await_seq: 1 }],
  ])('with %s is a conflict, whether the run waits or not', async (_case, body) => {
    const { id, key } = await waitingRun()
    await keyed(id, first, key, place)
    expectRefusal(await keyed(id, body, key, place), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    await driver.toAwaiting(id)
    expectRefusal(await keyed(id, body, key, place), 409, 'IDEMPOTENCY_KEY_CONFLICT')
  })

  test('twenty times at once answers 200 every time and has one effect', async () => {
    const { id, seq, key } = await waitingRun()
    const replies = await Promise.all(Array.from({ length: 20 }, () => keyed(id, first, key, place)))
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await acme.events(id)).filter((event) => event.seq > seq)).toHaveLength(1)
  })
})

test('another await_seq under the same key is a conflict', async () => {
  const { id, seq, key } = await waitingRun()
  await keyed(id, { action: 'approve', await_seq: seq }, key)
  expectRefusal(await keyed(id, { action: 'approve', await_seq: seq + 1 }, key), 409, 'IDEMPOTENCY_KEY_CONFLICT')
  expect((await keyed(id, { action: 'approve', await_seq: seq }, key)).status).toBe(200)
})

test.each([
  ['body', 'header'],
  ['header', 'body'],
] as [Place, Place][])('a key from the %s is known in the %s, too', async (one, other) => {
  const { id, key } = await waitingRun()
  await keyed(id, { action: 'approve' }, key, one)
  await driver.toAwaiting(id)
  const before = await acme.events(id)
  expect((await keyed(id, { action: 'approve' }, key, other)).status).toBe(200)
  expect(await acme.events(id)).toEqual(before)
})

test('the key of the body wins, and then the header is not even looked at', async () => {
  const { id, key } = await waitingRun()
  await signal(id, { action: 'approve', idempotency_key: key }, { 'idempotency-key': 'x'.repeat(300) })
  await driver.toAwaiting(id)
  expect((await keyed(id, { action: 'approve' }, key)).status).toBe(200)
  const headers = { 'idempotency-key': key }
  const reply = await signal(id, { action: 'reject', idempotency_key: randomUUID() }, headers)
  expect(reply.status).toBe(200)
  expect((await acme.run(id)).status).toBe('failed')
})

test('the order of keys in the payload makes no other signal', async () => {
  const { id, key } = await waitingRun()
  await keyed(id, { action: 'approve', payload: { a: 1, b: { c: 2, d: 3 } } }, key)
  expect((await keyed(id, { payload: { b: { d: 3, c: 2 }, a: 1 }, action: 'approve' }, key)).status).toBe(200)
})

test('a key is one per run', async () => {
  const [one, other] = [await waitingRun(), await waitingRun()]
  await keyed(one.id, { action: 'approve' }, one.key)
  expect((await keyed(other.id, { action: 'reject' }, one.key)).status).toBe(200)
  expect((await acme.run(other.id)).status).toBe('failed')
})

test('the key of a create and that of a signal have nothing to do with each other', async () => {
  const key = randomUUID()
  const { id } = (await acme.create(undefined, { 'idempotency-key': key })).json<{ id: string }>()
  await driver.toAwaiting(id)
  expect((await keyed(id, { action: 'approve' }, key)).status).toBe(200)
})

describe('a refused signal does not use its key up:', () => {
  test('the run did not wait yet', async () => {
    const { id } = await acme.newRun()
    expectRefusal(await keyed(id, { action: 'approve' }, 'k'), 409, 'RUN_NOT_AWAITING_INPUT')
    await driver.toAwaiting(id)
    expect((await keyed(id, { action: 'reject' }, 'k')).status).toBe(200)
    expect((await acme.run(id)).status).toBe('failed')
  })

  test('it named another wait', async () => {
    const { id, seq, key } = await waitingRun()
    expectRefusal(await keyed(id, { action: 'approve', await_seq: seq + 1 }, key), 409, 'RUN_NOT_AWAITING_INPUT')
    expect((await keyed(id, { action: 'approve', await_seq: seq }, key)).status).toBe(200)
  })

  test('it was malformed', async () => {
    const { id, key } = await waitingRun()
    expect((await keyed(id, { action: 'accept' }, key)).status).toBe(400)
    expect((await keyed(id, { action: 'approve' }, key)).status).toBe(200)
  })
})

test.each(['k'.repeat(255), '~', 'a b'])('a good key is printable ASCII of up to 255 characters: %s', async (key) => {
  const { id } = await waitingRun()
  expect((await keyed(id, { action: 'approve' }, key)).status).toBe(200)
  expect((await keyed(id, { action: 'approve' }, key, 'header')).status).toBe(200)
})
