// The optional idempotency key of requests that create, rotate or command: a repeated request gets the first answer and
// changes nothing, also at the same time, after a lost answer, and from another process.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Delivery, KeyWithSecret, Run, WebhookWithSecret } from '@runwright/contract'
import { type Route, type RouteName, routes } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forgetAnswers } from '../../src/retention/forget-answers.ts'
import { freshDatabase } from '../support/database.ts'
import { Driver } from '../support/drive.ts'
import { Caller, emptyRun, expectRefusal, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
const settings = { RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }
let service: Service
let host: Awaited<ReturnType<typeof freshDatabase>>
let acme: Caller
let driver: Driver
beforeAll(async () => {
  host = await freshDatabase()
  service = await startService(settings, { secrets, host })
  acme = new Caller(service.url, service.key)
  driver = new Driver(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.database.run({ text: 'delete from kept_answers' })
  await service.database.run({ text: 'delete from webhooks' })
})

interface Request {
  readonly path: string
  readonly body?: object
  /** Another valid body of the same route. */
  readonly other?: object
}

const url = 'http://127.0.0.1:9/hook'
const newKey = async (body: object = {}, caller = acme) => (await caller.post('/v1/keys', body)).json<KeyWithSecret>()
const newHook = async () =>
  (await acme.post('/v1/webhooks', { name: randomUUID(), url })).json<WebhookWithSecret>().webhook
const newDelivery = async () => {
  const hook = await newHook()
  return { hook, ...(await acme.post(`/v1/webhooks/${hook.id}/test`)).json<{ delivery: Delivery }>() }
}

type RepeatableRoute = Exclude<
  { [R in RouteName]: (typeof routes)[R] extends { idempotencyKey: 'optional' } ? R : never }[RouteName],
  'cancelRun' | 'retryRun' | 'resumeRun'
>

const requests: Record<RepeatableRoute, () => Promise<Request>> = {
  createKey: async () => ({ path: '/v1/keys', body: { name: 'a' }, other: { name: 'b' } }),
  rotateKey: async () => {
    const { key } = await newKey()
    return { path: `/v1/keys/${key.id}/rotate`, body: {}, other: { overlap_seconds: 60 } }
  },
  createSchedule: async () => ({
    path: '/v1/schedules',
    body: { cron: '0 9 * * *', name: 'a', run: { input: { a: 1, b: 2 }, metadata: {} } },
    other: { cron: '0 9 * * *', name: 'a', run: { input: { a: 1, b: 3 }, metadata: {} } },
  }),
  createWebhook: async () => ({ path: '/v1/webhooks', body: { url }, other: { url: `${url}/b` } }),
  rotateWebhook: async () => {
    const { id } = await newHook()
    return { path: `/v1/webhooks/${id}/rotate`, body: {}, other: { overlap_seconds: 60 } }
  },
  testWebhook: async () => ({ path: `/v1/webhooks/${(await newHook()).id}/test` }),
  redeliver: async () => {
    const { hook, delivery } = await newDelivery()
    return { path: `/v1/webhooks/${hook.id}/redeliver`, body: { delivery_id: delivery.id } }
  },
}
const names = Object.keys(requests) as RepeatableRoute[]

const send = ({ path, body }: Request, key: string, caller = acme) =>
  caller.post(path, body, { 'idempotency-key': key })
const lasting = (reply: Reply) => ({ ...reply.json(), request_id: '' })
const firstStatus = (name: RepeatableRoute) => ((routes[name] as Route).ok[201] ? 201 : 200)

const countActs = '(select count(*) from audit_queue) + (select count(*) from audit_entries)'
const contentOf = (table: string) =>
  `(select string_agg((to_jsonb(t) - 'last_used_at')::text, '\n' order by to_jsonb(t)::text) from ${table} t)`
const changing = ['api_keys', 'schedules', 'webhooks', 'webhook_deliveries', 'events']

/** Everything that requests could change, and how many acts the audit log has. */
async function everything() {
  const columns = changing.map((table) => `${contentOf(table)} as ${table}`)
  const [row] = await service.database.run({ text: `select ${countActs} as acts, ${columns.join()}` })
  return row
}

/** How many things there are. */
async function count(): Promise<Record<string, number>> {
  const columns = changing.map((table) => `(select count(*) from ${table}) as ${table}`)
  const [row] = await service.database.run({ text: `select ${countActs} as acts, ${columns.join()}` })
  return row as Record<string, number>
}

test('every POST that changes something takes the header', () => {
  const storesNothing = ['/v1/tokens', '/v1/runs/{id}/decision-links']
  const changing = ({ method, path }: Route) => method === 'POST' && !storesNothing.includes(path)
  const posts = Object.values(routes as Record<string, Route>).filter(changing)
  expect(posts.filter(({ idempotencyKey }) => !idempotencyKey)).toEqual([])
})

describe.each(names)('%s', (name) => {
  test('repeated, answers the same with a request id of its own, and changes nothing', async () => {
    const request = await requests[name]()
    const key = randomUUID()
    const first = await send(request, key)
    expect(first.status, first.text).toBe(firstStatus(name))
    const before = await everything()
    const second = await send(request, key)
    expect(second.status, second.text).toBe(200)
    expect(lasting(second)).toEqual(lasting(first))
    expect(second.json().request_id).toBe(second.headers['x-request-id'])
    expect(second.json().request_id).not.toBe(first.json().request_id)
    expect(await everything()).toEqual(before)
  })

  test('ten times at once is done once', async () => {
    const request = await requests[name]()
    const key = randomUUID()
    const before = await count()
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(request, key)))
    expect(new Set(replies.map((reply) => JSON.stringify(lasting(reply)))).size).toBe(1)
    expect(replies.filter(({ status }) => status === firstStatus(name)).length).toBe(firstStatus(name) === 201 ? 1 : 10)
    const after = await count()
    const added = Object.keys(after).map((what) => (after[what] ?? 0) - (before[what] ?? 0))
    expect(Math.max(...added)).toBeLessThanOrEqual(1)
  })

  test('with another body or id under the same key is a conflict', async () => {
    const request = await requests[name]()
    const key = randomUUID()
    await send(request, key)
    const other = request.other ? { ...request, body: request.other } : await requests[name]()
    const before = await everything()
    expectRefusal(await send(other, key), 409, 'IDEMPOTENCY_KEY_CONFLICT')
    expect(await everything()).toEqual(before)
  })

  test('with a malformed key is refused by name', async () => {
    const request = await requests[name]()
    const before = await everything()
    for (const key of ['', 'ü', 'x'.repeat(256)]) {
      expectRefusal(await send(request, key), 400, 'IDEMPOTENCY_KEY_INVALID')
    }
    expect(await everything()).toEqual(before)
  })

  test('of another customer has its own keys', async () => {
    const key = randomUUID()
    await send(await requests[name](), key)
    const other = await send(await requests[name](), key, new Caller(service.url, service.otherKey))
    expect(other.json().reason_code).not.toBe('IDEMPOTENCY_KEY_CONFLICT')
  })

  test('whose answer was lost gets it from another process', async () => {
    const request = await requests[name]()
    const key = randomUUID()
    const first = await send(request, key)
    const drop = async () => undefined
    const next = await startService(settings, { secrets, host: { ...host, drop } })
    try {
      const second = await send(request, key, new Caller(next.url, service.key))
      expect(lasting(second)).toEqual(lasting(first))
    } finally {
      await next.stop()
    }
  })
})

test('the order of keys in the body makes no difference', async () => {
  const key = randomUUID()
  const { path, body } = (await requests.createSchedule()) as Required<Request>
  const first = await send({ path, body }, key)
  const turned = { run: { metadata: {}, input: { b: 2, a: 1 } }, name: 'a', cron: '0 9 * * *' }
  const second = await send({ path, body: turned }, key)
  expect(second.status, second.text).toBe(200)
  expect(lasting(second)).toEqual(lasting(first))
})

test('two routes with the same key do not disturb each other', async () => {
  const key = randomUUID()
  expect((await send(await requests.createKey(), key)).status).toBe(201)
  expect((await send(await requests.createSchedule(), key)).status).toBe(201)
  expect((await acme.create(emptyRun, { 'idempotency-key': key })).status).toBe(201)
})

test('a refused request does not use the key up', async () => {
  const key = randomUUID()
  expectRefusal(await send({ path: '/v1/schedules', body: { cron: 'x' } }, key), 400, 'SCHEDULE_PAYLOAD_INVALID')
  expectRefusal(await send({ path: '/v1/webhooks', body: { url: 'x' } }, key), 400, 'WEBHOOK_PAYLOAD_INVALID')
  expectRefusal(await send({ path: '/v1/keys/key_unknown/rotate', body: {} }, key), 404, 'KEY_NOT_FOUND')
  expect((await send(await requests.createSchedule(), key)).status).toBe(201)
  expect((await send(await requests.createWebhook(), key)).status).toBe(201)
  expect((await send(await requests.rotateKey(), key)).status).toBe(200)
})

test('a repeated create is answered although the limit is reached meanwhile', async () => {
  const key = randomUUID()
  const request = await requests.createWebhook()
  const first = await send(request, key)
  for (let count = 1; count < 20; count += 1) await newHook()
  expect((await acme.post('/v1/webhooks', { url, name: 'one more' })).status).toBeGreaterThanOrEqual(400)
  expect(lasting(await send(request, key))).toEqual(lasting(first))
})

test('what was deleted meanwhile is answered as it was, and does not come back', async () => {
  const key = randomUUID()
  const request = await requests.createWebhook()
  const first = await send(request, key)
  const path = `/v1/webhooks/${first.json<WebhookWithSecret>().webhook.id}`
  expect((await acme.send({ method: 'DELETE', path })).status).toBe(200)
  expect(lasting(await send(request, key))).toEqual(lasting(first))
  expectRefusal(await acme.get(path), 404, 'WEBHOOK_NOT_FOUND')
})

describe('after a day', () => {
  const passTime = (text: string) =>
    service.database.run({ text: `update kept_answers set created_at = now() - interval '${text}'` })

  test('the key can be used again, and upkeep deletes what was kept', async () => {
    const key = randomUUID()
    const request = await requests.createKey()
    const first = await send(request, key)
    await passTime('23 hours 59 minutes')
    await forgetAnswers(service.database)
    expect(lasting(await send(request, key))).toEqual(lasting(first))
    await passTime('24 hours')
    const second = await send(request, key)
    expect(second.status).toBe(201)
    expect(second.json<KeyWithSecret>().key.id).not.toBe(first.json<KeyWithSecret>().key.id)
    await passTime('24 hours')
    expect(await forgetAnswers(service.database)).toEqual({ forgotten: 1 })
  })
})

describe('an answer with a secret', () => {
  test('is not stored in a readable form', async () => {
    const shown: string[] = []
    for (const name of ['createKey', 'rotateKey', 'createWebhook', 'rotateWebhook'] as const) {
      const reply = await send(await requests[name](), randomUUID())
      shown.push(reply.json<{ secret: string }>().secret.replace('whsec_', ''))
    }
    const rows = await service.database.run<{ row: string }>({
      text: 'select kept_answers::text as row from kept_answers',
    })
    const text = rows.map(({ row }) => row).join()
    expect(rows).toHaveLength(4)
    for (const secret of shown) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret, 'base64').toString('hex'))
    }
  })

  test('shows a secret that works', async () => {
    const key = randomUUID()
    const request = await requests.createKey()
    await send(request, key)
    const { key: made, secret } = (await send(request, key)).json<KeyWithSecret>()
    expect((await new Caller(service.url, `${made.id}:${secret}`).get('/v1/runs')).status).toBe(200)
  })

  test('is not given to another API key of the customer', async () => {
    const admin = await newKey({ scopes: ['keys:admin', 'webhooks:admin', 'runs:read'] })
    const other = new Caller(service.url, `${admin.key.id}:${admin.secret}`)
    for (const name of ['createKey', 'rotateKey', 'createWebhook', 'rotateWebhook'] as const) {
      const key = randomUUID()
      const request = await requests[name]()
      const { secret } = (await send(request, key)).json<{ secret: string }>()
      const reply = await send(request, key, other)
      expectRefusal(reply, 409, 'IDEMPOTENCY_KEY_CONFLICT')
      expect(reply.text).not.toContain(secret)
    }
  })

  test('a schedule is answered to any API key of the customer', async () => {
    const { key: made, secret } = await newKey({ scopes: ['runs:write'] })
    const key = randomUUID()
    const request = await requests.createSchedule()
    const first = await send(request, key)
    expect(lasting(await send(request, key, new Caller(service.url, `${made.id}:${secret}`)))).toEqual(lasting(first))
  })
})

describe('a key that rotates itself', () => {
  const admin = async () => {
    const { key, secret } = await newKey({ scopes: ['keys:admin'] })
    return {
      id: key.id,
      path: `/v1/keys/${key.id}/rotate`,
      with: (one = secret) => new Caller(service.url, `${key.id}:${one}`),
    }
  }

  test('gets the lost answer with its old secret', async () => {
    const { path, with: caller } = await admin()
    const key = randomUUID()
    const first = await send({ path, body: {} }, key, caller())
    const again = await send({ path, body: {} }, key, caller())
    expect(again.status, again.text).toBe(200)
    expect(lasting(again)).toEqual(lasting(first))
    expect((await caller(again.json<KeyWithSecret>().secret).get('/v1/keys')).status).toBe(200)
    // Without the key, an old secret still rotates nothing.
    expectRefusal(await caller().post(path, {}), 403, 'SCOPE_DENIED')
  })

  test('does not show a later secret to an old one', async () => {
    const { path, with: caller } = await admin()
    const { secret: second } = (await caller().post(path, {})).json<KeyWithSecret>()
    const key = randomUUID()
    const { secret: third } = (await send({ path, body: {} }, key, caller(second))).json<KeyWithSecret>()
    const stolen = await send({ path, body: {} }, key, caller())
    expectRefusal(stolen, 409, 'IDEMPOTENCY_KEY_CONFLICT')
    expect(stolen.text).not.toContain(third)
    expect((await send({ path, body: {} }, key, caller(third))).json<KeyWithSecret>().secret).toBe(third)
  })
})

describe('a command to a run', () => {
  const command = (id: string, verb: string, key: string) =>
    send({ path: `/v1/runs/${id}/${verb}` }, key) as Promise<Reply>
  const state: Record<string, (id: string) => Promise<unknown>> = {
    cancel: async () => undefined,
    retry: (id) => driver.toFailed(id),
    resume: (id) => driver.toStalled(id),
  }

  test.each(Object.keys(state))('%s, repeated, answers the same and changes nothing', async (verb) => {
    const { id } = await acme.newRun()
    await state[verb]?.(id)
    const key = randomUUID()
    const first = await command(id, verb, key)
    expect(first.status, first.text).toBe(200)
    const before = await everything()
    const second = await command(id, verb, key)
    expect(second.status, second.text).toBe(200)
    expect(lasting(second)).toEqual(lasting(first))
    expect(await everything()).toEqual(before)
    expect((await command(id, verb, randomUUID())).status).toBe(409)
  })

  test('retry, repeated after the run failed again, does not retry it again', async () => {
    const { id } = await acme.newRun()
    await driver.toFailed(id)
    const key = randomUUID()
    const first = await command(id, 'retry', key)
    await driver.toFailed(id)
    const second = await command(id, 'retry', key)
    expect(lasting(second)).toEqual(lasting(first))
    expect((await acme.run(id)).status).toBe('failed')
    expect((await command(id, 'retry', randomUUID())).json<Run>().status).toBe('queued')
  })

  test('ten times at once is done once, and all get the same answer', async () => {
    const { id } = await acme.newRun()
    const key = randomUUID()
    const replies = await Promise.all(Array.from({ length: 10 }, () => command(id, 'cancel', key)))
    expect(new Set(replies.map((reply) => JSON.stringify(lasting(reply)))).size).toBe(1)
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await acme.events(id)).filter(({ type }) => type === 'run.cancelled')).toHaveLength(1)
  })

  test('of another run under the same key is carried out', async () => {
    const key = randomUUID()
    const [one, other] = [await acme.newRun(), await acme.newRun()]
    for (const { id } of [one, other]) expect((await command(id, 'cancel', key)).status).toBe(200)
    expect((await acme.run(other.id)).status).toBe('cancelled')
  })

  test('with a malformed key is refused by name', async () => {
    const { id } = await acme.newRun()
    expectRefusal(await command(id, 'cancel', 'ü'), 400, 'IDEMPOTENCY_KEY_INVALID')
    expect((await acme.run(id)).status).toBe('queued')
  })

  test('refused does not use the key up', async () => {
    const { id } = await acme.newRun()
    const key = randomUUID()
    expectRefusal(await command(id, 'retry', key), 409, 'RUN_STATE_CONFLICT')
    await driver.toFailed(id)
    expect((await command(id, 'retry', key)).json<Run>().status).toBe('queued')
  })
})
