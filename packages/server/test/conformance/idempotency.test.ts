// The idempotency key of create: one run per customer and key, whatever is sent how often at the same time.
import { randomUUID } from 'node:crypto'
import type { CreatedRun, Usage } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Driver, rowCounts } from '../support/drive.ts'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
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

let key: string
beforeEach(() => {
  key = randomUUID()
})
const create = (body: unknown = emptyRun, caller = acme) => caller.create(body, { 'idempotency-key': key })
const runCreated = async () => (await acme.get('/v1/usage?event_type=run.created')).json<Usage>().usage[0]?.count ?? 0

/** What a replay must repeat. */
const lasting = ({ replayed, request_id, ...run }: CreatedRun) => run

test('fifty at once make one run: one 201 and 49 times 200', async () => {
  const before = await rowCounts(service.database)
  const replies = await Promise.all(Array.from({ length: 50 }, () => create()))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
  expect(replies.map((reply) => reply.json<CreatedRun>().replayed).sort()).toEqual([false, ...Array(49).fill(true)])
  expect(new Set(replies.map((reply) => JSON.stringify(lasting(reply.json<CreatedRun>())))).size).toBe(1)
  expect(await rowCounts(service.database)).toMatchObject({
    runs: Number(before.runs) + 1,
    events: Number(before.events) + 1,
    usage_records: Number(before.usage_records) + 1,
  })
})

test('fifty at once with different bodies make one run: one 201 and 49 conflicts', async () => {
  const bodies = Array.from({ length: 50 }, (_, n) => ({ ...emptyRun, input: { n } }))
  const replies = await Promise.all(bodies.map((body) => create(body)))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)])
})

test('fifty keys at once make fifty runs', async () => {
  const replies = await Promise.all(Array.from({ length: 50 }, () => acme.create()))
  expect(new Set(replies.map((reply) => reply.json<CreatedRun>().id)).size).toBe(50)
})

describe('a replay', () => {
  test('answers 200 with the same run, replayed true and a request id of its own', async () => {
    const first = (await create()).json<CreatedRun>()
    const second = await create()
    expect(second.status).toBe(200)
    expect(second.json()).toEqual({ ...first, replayed: true, request_id: second.headers['x-request-id'] })
    expect(second.json().request_id).not.toBe(first.request_id)
  })

  test.each([
    ['keys in another order', '{"metadata":{},"input":{"b":[1,{"d":1,"c":2}],"a":"ü"}}'],
    ['white space', '\n{ "input" : {"a":"ü", "b":[ 1 ,{"c":2,"d":1}] },\t"metadata":{ } }\r\n'],
    ['escapes', '{"input":{"\\u0061":"\\u00fc","b":[1,{"c":2,"d":1}]},"metadata":{}}'],
  ])('may be written with %s', async (_case, text) => {
    await create({ input: { a: 'ü', b: [1, { c: 2, d: 1 }] }, metadata: {} })
    const reply = await create(text)
    expect(reply.status).toBe(200)
    expect(reply.json().replayed).toBe(true)
  })

  test.each([
    ['cancelled', (id: string) => acme.post(`/v1/runs/${id}/cancel`)],
    ['running', (id: string) => driver.toRunning(id)],
    ['awaiting_input', (id: string) => driver.toAwaiting(id)],
    ['stalled', (id: string) => driver.toStalled(id)],
    ['failed', (id: string) => driver.toFailed(id)],
    ['succeeded', (id: string) => driver.toSucceeded(id)],
  ])('shows the run as it was at creation, though it is %s now', async (_state, move) => {
    const first = (await create()).json<CreatedRun>()
    await move(first.id)
    expect(lasting((await create()).json<CreatedRun>())).toEqual(lasting(first))
  })

  test('writes nothing and meters nothing', async () => {
    await create()
    const [before, counted] = [await rowCounts(service.database), await runCreated()]
    await create()
    expect(await rowCounts(service.database)).toEqual(before)
    expect(await runCreated()).toBe(counted)
  })

  test('works with another key of the same customer', async () => {
    const made = (await acme.post('/v1/keys', {})).json<{ key: { id: string }; secret: string }>()
    await create()
    expect((await create(emptyRun, new Caller(service.url, `${made.key.id}:${made.secret}`))).status).toBe(200)
  })
})

describe('the same key with another body', () => {
  const first = { input: { a: [1, 2] }, metadata: {}, workspace_id: 'w' }
  test.each([
    ['another value', { ...first, input: { a: [1, 3] } }],
    ['another order in an array', { ...first, input: { a: [2, 1] } }],
    ['another type', { ...first, input: { a: ['1', 2] } }],
    ['a field more', { ...first, streaming: true }],
    ['a field less', { input: first.input, metadata: {} }],
    ['another label', { ...first, workspace_id: 'W' }],
    ['a plan', { ...first, plan: { steps: [{ instruction: 'x' }] } }],
    ['the same text in metadata', { ...first, input: {}, metadata: first.input }],
  ])('is a conflict: %s', async (_case, body) => {
    expect((await create(first)).status).toBe(201)
    expectRefusal(await create(body), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    expect((await create(first)).status).toBe(200)
  })

  test('is no conflict but a 400 when that body is invalid', async () => {
    await create()
    expectRefusal(await create({ input: {} }), 400, 'INPUT_PAYLOAD_INVALID')
    expectRefusal(await create({ ...emptyRun, plan: {} }), 400, 'INPUT_PLAN_INVALID')
  })
})

describe('the key is not used up by', () => {
  test.each([
    ['a body that is no JSON', '{'],
    ['a body of the wrong shape', {}],
    ['a body that is too large', { input: { t: 'x'.repeat(262_144) }, metadata: {} }],
    ['a bad tag path', { ...emptyRun, sensitivity_tags: [{ path: '$', classification: 'pii' }] }],
    ['an untagged sensitive key', { input: { token: 1 }, metadata: {} }],
    ['an invalid plan', { ...emptyRun, plan: {} }],
  ])('%s', async (_case, body) => {
    expect((await create(body)).status).toBe(400)
    expect((await create()).status).toBe(201)
  })

  test('a caller who may not create', async () => {
    const made = (await acme.post('/v1/keys', { scopes: ['runs:read'] })).json<{
      key: { id: string }
      secret: string
    }>()
    const reader = new Caller(service.url, `${made.key.id}:${made.secret}`)
    expectRefusal(await create(emptyRun, reader), 403, 'SCOPE_DENIED')
    expect((await create()).status).toBe(201)
  })
})

test('two customers can use the same key for different runs', async () => {
  const mine = (await create()).json<CreatedRun>()
  const reply = await create({ ...emptyRun, input: { other: 1 } }, new Caller(service.url, service.otherKey))
  expect(reply.status).toBe(201)
  expect(reply.json().id).not.toBe(mine.id)
})

test('keys that differ in case are different keys', async () => {
  expect((await acme.create(emptyRun, { 'idempotency-key': 'Order-1' })).status).toBe(201)
  expect((await acme.create(emptyRun, { 'idempotency-key': 'order-1' })).status).toBe(201)
})
