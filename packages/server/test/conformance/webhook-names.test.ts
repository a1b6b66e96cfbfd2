// Which webhook a request means: the one with its name, or without a name the one with its URL. A create that is
// repeated makes no second one.
import { randomUUID } from 'node:crypto'
import { type CreatedWebhook, createdWebhookSchema, type ErrorBody, type Webhook } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/engine.ts'
import { Caller, expectRefusal, jsonType, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const url = 'https://app.example.com/hooks'
let service: Service
let acme: Caller
let other: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.database.run({ text: 'delete from kept_answers' })
  await service.database.run({ text: 'delete from webhooks' })
})

const post = (body: object = {}, caller = acme, headers = {}) =>
  caller.post('/v1/webhooks', { url, ...body }, { 'idempotency-key': randomUUID(), ...headers })
const read = (reply: Reply, status: number): CreatedWebhook => {
  expect(reply.status, reply.text).toBe(status)
  expect(reply.headers).toMatchObject({ 'cache-control': 'no-store' })
  return createdWebhookSchema.strict().parse(reply.json())
}
const created = async (body: object = {}, caller = acme): Promise<Webhook> =>
  read(await post(body, caller), 201).webhook
const patch = ({ id }: Webhook, body: object) =>
  acme.send({ method: 'PATCH', path: `/v1/webhooks/${id}`, body, headers: jsonType })

interface Row {
  readonly customer_id: string
  readonly url: string
}

/** Every row, and how many acts the audit log has. */
async function everything() {
  const [row] = await service.database.run<{ webhooks: string; acts: number }>({
    text: `select (select coalesce(json_agg(w order by id), '[]')::text from webhooks w) as webhooks,
      (select count(*) from audit_queue) + (select count(*) from audit_entries) as acts`,
  })
  return { webhooks: JSON.parse(row?.webhooks ?? '') as readonly Row[], acts: row?.acts ?? 0 }
}

const waitingForLocks = async () => {
  const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return (await service.database.run({ text })).length
}

describe.each([
  ['without a name', {}],
  ['with a name', { name: 'orders' }],
])('a create that is repeated %s', (_case, body) => {
  test('returns the webhook that is there, without a secret, and changes nothing', async () => {
    const first = read(await post(body), 201)
    expect(first.secret).toMatch(/^whsec_/)
    const before = await everything()
    const second = await post(body)
    expect(read(second, 200)).toEqual({ webhook: first.webhook, secret: null, request_id: expect.any(String) })
    expect(second.headers.location).toBeUndefined()
    expect(await everything()).toEqual(before)
  })

  test('at the same time makes one webhook, one act and one secret', async () => {
    const { acts } = await everything()
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(body)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
    const answers = replies.map((reply) => reply.json<CreatedWebhook>())
    expect(new Set(answers.map(({ webhook }) => webhook.id)).size).toBe(1)
    expect(answers.filter(({ secret }) => secret !== null)).toHaveLength(1)
    expect(await everything()).toMatchObject({ webhooks: [{ url }], acts: acts + 1 })
  })

  test('waits for the one before it: of two, the second finds what the first has made', async () => {
    const replies = await service.database.withConnection(async (client) => {
      await client.query('begin')
      await client.query(`select from customers where id = 'acme' for no key update`)
      const both = Promise.all([post(body), post(body)])
      await eventually(async () => (await waitingForLocks()) === 2 || undefined)
      await client.query('rollback')
      return both
    })
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 201])
    expect((await everything()).webhooks).toHaveLength(1)
  })

  test('has no part in the webhook of another customer', async () => {
    const theirs = await created(body, other)
    const before = await everything()
    const mine = await created(body)
    expect(mine.id).not.toBe(theirs.id)
    expect(read(await post(body, other), 200).webhook).toEqual(theirs)
    const { webhooks } = await everything()
    expect(webhooks.filter(({ customer_id }) => customer_id !== 'acme')).toEqual(before.webhooks)
  })

  test('gets the secret again with the idempotency key of the first one, and only with that', async () => {
    const key = { 'idempotency-key': 'first' }
    const first = read(await post(body, acme, key), 201)
    const again = { 'idempotency-key': 'second' }
    expect(read(await post(body, acme, again), 200).secret).toBeNull()
    expect(read(await post(body, acme, key), 200).secret).toBe(first.secret)
    // The answer without a secret was not kept: once the webhook is gone, the same request makes one.
    await acme.send({ method: 'DELETE', path: `/v1/webhooks/${first.webhook.id}` })
    expect(read(await post(body, acme, again), 201).secret).toMatch(/^whsec_/)
  })

  test.each([
    ['event_types', { event_types: ['run.created'] }],
    ['format and event_types', { format: 'slack', event_types: ['run.awaiting_input'] }],
  ])('with another %s is refused by name', async (fields, change) => {
    const { id } = await created(body)
    const before = await everything()
    const reply = await post({ ...body, ...change })
    expectRefusal(reply, 409, 'WEBHOOK_EXISTS')
    const has = 'name' in body ? 'has this name' : 'has this URL and no name'
    expect(reply.json<ErrorBody>().message).toContain(`${id} ${has}, but another ${fields}.`)
    expect(await everything()).toEqual(before)
  })

  test('finds a webhook that is paused, and leaves it so', async () => {
    const webhook = await created(body)
    await patch(webhook, { paused: true })
    expect(read(await post(body), 200).webhook).toMatchObject({ id: webhook.id, paused: true })
  })

  test('finds it also if the customer has as many as it can have', async () => {
    const webhook = await created(body)
    await Promise.all(Array.from({ length: 19 }, (_, n) => created({ name: `other ${n}` })))
    expect(read(await post(body), 200).webhook.id).toBe(webhook.id)
    expectRefusal(await post({ name: 'one more' }), 409, 'LIMIT_REACHED')
  })
})

test('the order of the events, and naming what is the default, makes no difference', async () => {
  const webhook = await created()
  const event_types = webhook.event_types.toReversed()
  expect(read(await post({ event_types, format: 'standard' }), 200).webhook).toEqual(webhook)
})

test('one URL can have several webhooks, each with its name, and one without', async () => {
  const all = [
    await created(),
    await created({ name: 'a' }),
    await created({ name: 'b', event_types: ['run.created'] }),
  ]
  expect(new Set(all.map(({ id }) => id)).size).toBe(3)
  expect(all.map(({ name }) => name)).toEqual([null, 'a', 'b'])
})

test('a name that is used for another URL is refused', async () => {
  const { id } = await created({ name: 'orders' })
  const reply = await post({ name: 'orders', url: `${url}/other` })
  expectRefusal(reply, 409, 'WEBHOOK_EXISTS')
  expect(reply.json<ErrorBody>().message).toContain(`${id} has this name, but another url.`)
})

describe('a change', () => {
  const named = async (webhook: Webhook, name: string | null) => {
    const reply = await patch(webhook, { name })
    expect(reply.status, reply.text).toBe(200)
    return reply.json<{ webhook: Webhook }>().webhook
  }

  test('gives a name, another one, and takes it away; the audit log says that the name was changed', async () => {
    const webhook = await created()
    expect(await named(webhook, 'orders')).toEqual({ ...webhook, name: 'orders', updated_at: expect.any(String) })
    expect((await named(webhook, 'invoices')).name).toBe('invoices')
    expect((await named(webhook, null)).name).toBeNull()
    const acts = await service.database.run<{ details: string }>({
      text: `select details from audit_queue where target = $1 and action = 'webhook.update' union all
        select details from audit_entries where target = $1 and action = 'webhook.update'`,
      values: [webhook.id],
    })
    expect(acts.map(({ details }) => JSON.parse(details))).toEqual(Array(3).fill({ changed: ['name'] }))
  })

  test('to its own name is none', async () => {
    const webhook = await created({ name: 'orders' })
    const before = await everything()
    expect(await named(webhook, 'orders')).toEqual(webhook)
    expect(await everything()).toEqual(before)
  })

  test.each([
    ['a name that another webhook has', { name: 'b' }, { name: 'b' }],
    ['no name, if another one has none and the same URL', {}, { name: null }],
  ])('to %s is refused, and nothing changes', async (_case, second, change) => {
    const webhook = await created({ name: 'a' })
    const { id } = await created(second)
    const before = await everything()
    const reply = await patch(webhook, { ...change, paused: true })
    expectRefusal(reply, 409, 'WEBHOOK_EXISTS')
    expect(reply.json<ErrorBody>().message).toContain(id)
    expect(await everything()).toEqual(before)
  })

  test('to the URL of another webhook is refused only if neither has a name', async () => {
    await created()
    const nameless = await created({ url: `${url}/b` })
    expectRefusal(await patch(nameless, { url }), 409, 'WEBHOOK_EXISTS')
    expect((await patch(nameless, { url, name: 'b' })).status).toBe(200)
  })

  test('of two webhooks to one name at the same time is made once', async () => {
    const webhooks = [await created({ name: 'a' }), await created({ name: 'b' })]
    const replies = await Promise.all(webhooks.map((webhook) => patch(webhook, { name: 'c' })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

describe('a name', () => {
  test.each([
    ['is a text of another script with joiners and emoji', '注文 👩‍💻'],
    ['turns the direction of what follows', 'a\u202eb'],
    ['looks like SQL', `'; drop table webhooks; --`],
    ['has line breaks, quotes and markup', 'a\n"b" <img src=x onerror=alert(1)>'],
    ['looks like a pattern', '%_\\'],
    ['is as long as it can be', '👍'.repeat(100)],
  ])('that %s is kept as it is, and found again', async (_case, name) => {
    const webhook = await created({ name })
    expect(webhook.name).toBe(name)
    expect(read(await post({ name }), 200).webhook).toEqual(webhook)
    // A part of it is another name.
    await created({ name: name.slice(0, -2) })
  })

  test.each([
    ['empty', ''],
    ['too long', 'a'.repeat(101)],
    ['a null', null],
    ['a number', 7],
    ['with U+0000', 'a\0'],
    ['with a lone surrogate', 'a\ud800'],
  ])('that is %s is refused', async (_case, name) => {
    expectRefusal(await post({ name }), 400, 'WEBHOOK_PAYLOAD_INVALID')
    expect((await everything()).webhooks).toEqual([])
  })
})
