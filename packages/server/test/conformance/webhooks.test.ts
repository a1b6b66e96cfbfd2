// The routes below /v1/webhooks, on a service that executes runs and sends to an endpoint on loopback. It does not
// sweep: messages are sent because of the commit that wrote them.
import {
  createdWebhookSchema,
  type Delivery,
  deliveryListSchema,
  deliveryResultSchema,
  type ErrorBody,
  type WebhookMessage,
  type Webhook as WebhookRecord,
  webhookListSchema,
  webhookResultSchema,
  webhookWithSecretSchema,
} from '@runwright/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { holdDuty } from '../support/hold-duty.ts'
import { Caller, jsonType } from '../support/http.ts'
import { answerWith, Receiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

const serviceEnv = {
  RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  RUNWRIGHT_PUBLIC_URL: 'https://agents.example.com/',
}
let service: Service
let acme: Caller
let other: Caller
let receiver: Receiver

beforeAll(async () => {
  const host = await freshDatabase()
  await holdDuty(host.open(1))
  service = await startService(serviceEnv, { worker: true, host })
  acme = new Caller(service.url, service.key)
  other = new Caller(service.url, service.otherKey)
  receiver = await new Receiver().start()
})
afterAll(async () => {
  await service.stop()
  await receiver.stop()
})
beforeEach(async () => {
  await service.database.run({ text: 'delete from webhooks' })
  receiver.received.all.length = 0
  receiver.answer = answerWith(204)
})

const create = async (body: object = {}, caller = acme) => {
  const reply = await caller.post('/v1/webhooks', { url: receiver.url, ...body })
  expect(reply).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } })
  const created = createdWebhookSchema.strict().parse(reply.json())
  return { ...created, secret: created.secret ?? expect.fail('no secret') }
}

const reasonOf = async (reply: Promise<{ status: number; json<T>(): T }>) => {
  const { status, json } = await reply
  return [status, json<ErrorBody>().reason_code]
}

const deliveries = async ({ id }: WebhookRecord, query = '') =>
  deliveryListSchema.parse((await acme.get(`/v1/webhooks/${id}/deliveries${query}`)).json())

test('a webhook is created, listed, read and deleted, and its secret is shown only once', async () => {
  const { webhook, secret } = await create({ event_types: ['run.created'] })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toMatchObject({ url: receiver.url, event_types: ['run.created'], disabled_at: null })
  const path = `/v1/webhooks/${webhook.id}`
  const listed = await acme.get('/v1/webhooks')
  expect(webhookListSchema.strict().parse(listed.json()).webhooks).toEqual([webhook])
  expect(webhookResultSchema.strict().parse((await acme.get(path)).json()).webhook).toEqual(webhook)
  expect(listed.text).not.toContain(secret)
  const deleted = await acme.send({ method: 'DELETE', path })
  const answer = { id: webhook.id, deleted: true, request_id: deleted.headers['x-request-id'] }
  expect([deleted.status, deleted.json()]).toEqual([200, answer])
  expect(await reasonOf(acme.get(path))).toEqual([404, 'WEBHOOK_NOT_FOUND'])
  const [row] = await service.database.run<{ count: number }>({ text: 'select count(*) from webhooks' })
  expect(row?.count).toBe(0)
})

test('the stored secret is encrypted', async () => {
  const { secret } = await create()
  const [row] = await service.database.run<{ sealed: Buffer }>({ text: 'select sealed from webhooks' })
  expect(row?.sealed.toString('latin1')).not.toContain(secret.slice('whsec_'.length))
})

test('without a list it receives how runs end, and that they wait', async () => {
  const { webhook } = await create()
  expect(webhook.event_types).toEqual([
    'run.worker.succeeded',
    'run.worker.failed',
    'run.cancelled',
    'run.limit_exceeded',
    'run.awaiting_input',
  ])
})

test('the end of a run is told at once, signed, and listed as delivered', async () => {
  const { webhook, secret } = await create()
  const { id } = await acme.newRun({ subject_id: 'user-42' })
  const { headers, body } = await receiver.received.nth(1, () => true)
  const message = new Webhook(secret).verify(body, headers as Record<string, string>)
  expect(message).toMatchObject({
    type: 'run.worker.succeeded',
    data: { run_id: id, status: 'succeeded', subject_id: 'user-42' },
  })
  const { deliveries: listed } = await deliveries(webhook)
  expect(listed).toMatchObject([{ id: headers['webhook-id'], run_id: id, type: 'run.worker.succeeded' }])
})

test('a message about a wait says what is asked, with tagged values masked, and where to answer', async () => {
  await create({ event_types: ['run.awaiting_input'] })
  const { id } = await acme.newRun({
    metadata: { title: 'Pay Acme' },
    input: { iban: 'DE02120300000000202051', amount: 12 },
    sensitivity_tags: [{ path: '$.input.iban', classification: 'pii' }],
    plan: {
      steps: [
        {
          id: 'gate',
          await_input: { input_kind: 'approval', prompt: 'Pay {{input.amount}} euros to {{input.iban}}?' },
        },
      ],
    },
  })
  await receiver.received.nth(1, () => true)
  const [{ data }] = receiver.messages as [WebhookMessage]
  expect(data).toMatchObject({ run_id: id, status: 'running' })
  expect(data.awaiting_input).toEqual({
    title: 'Pay Acme',
    prompt: expect.stringMatching(/^Pay 12 euros to .+\?$/),
    tool: null,
    url: `https://agents.example.com/console/#/runs/${id}`,
  })
  expect(JSON.stringify(data)).not.toContain('DE02120300000000202051')
})

test('a question that was answered before its message was sent is left out', async () => {
  const { webhook } = await create({ event_types: ['run.awaiting_input'] })
  await acme.send({ method: 'PATCH', path: `/v1/webhooks/${webhook.id}`, body: { paused: true } })
  const plan = { steps: [{ id: 'gate', await_input: { input_kind: 'approval', prompt: 'Go?' } }] }
  const id = await acme.newRunUntil('run.awaiting_input', { input: {}, plan })
  const { seq } = (await acme.events(id)).at(-1) ?? {}
  expect((await acme.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq: seq })).status).toBe(200)
  await acme.send({ method: 'PATCH', path: `/v1/webhooks/${webhook.id}`, body: { paused: false } })
  await receiver.received.nth(1, () => true)
  expect(receiver.messages[0]?.data).not.toHaveProperty('awaiting_input')
})

test('every event of a run arrives in order', async () => {
  await create({ event_types: ['run.created', 'run.worker.started', 'step.done', 'run.worker.succeeded'] })
  await acme.newRun()
  await receiver.received.nth(1, ({ body }) => body.includes('run.worker.succeeded'))
  const seqs = receiver.messages.map(({ data }) => data.seq)
  expect(seqs[0]).toBe(1)
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  expect(receiver.messages.map(({ type }) => type)).toContain('run.worker.started')
})

test('a test message is sent and can be sent again with the same id', async () => {
  const { webhook } = await create()
  const tested = deliveryResultSchema.strict().parse((await acme.post(`/v1/webhooks/${webhook.id}/test`)).json())
  expect(tested.delivery).toMatchObject({ type: 'webhook.test', state: 'pending', attempts: 0 })
  await receiver.received.nth(1, () => true)
  const again = await acme.post(`/v1/webhooks/${webhook.id}/redeliver`, { delivery_id: tested.delivery.id })
  expect(again.json<{ delivery: Delivery }>().delivery).toMatchObject({ id: tested.delivery.id, state: 'pending' })
  await receiver.received.nth(2, () => true)
  expect(receiver.received.all.map(({ headers }) => headers['webhook-id'])).toEqual([
    tested.delivery.id,
    tested.delivery.id,
  ])
})

test('a rotated webhook signs with the new secret', async () => {
  const { webhook, secret: old } = await create()
  const rotated = await acme.post(`/v1/webhooks/${webhook.id}/rotate`, { overlap_seconds: 0 })
  const { secret } = webhookWithSecretSchema.strict().parse(rotated.json())
  await acme.post(`/v1/webhooks/${webhook.id}/test`)
  const { headers, body } = await receiver.received.nth(1, () => true)
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined()
  expect(() => new Webhook(old).verify(body, headers as Record<string, string>)).toThrow()
})

test('deliveries are listed page by page, newest first', async () => {
  const { webhook } = await create()
  const ids: string[] = []
  for (let sent = 0; sent < 3; sent += 1) {
    const reply = await acme.post(`/v1/webhooks/${webhook.id}/test`)
    ids.unshift(reply.json<{ delivery: Delivery }>().delivery.id)
  }
  const first = await deliveries(webhook, '?limit=2')
  const second = await deliveries(webhook, `?limit=2&cursor=${first.next_cursor}`)
  expect([...first.deliveries, ...second.deliveries].map(({ id }) => id)).toEqual(ids)
  expect(second.next_cursor).toBeNull()
})

test('a webhook whose endpoint is gone is shown as disabled, and sends nothing more', async () => {
  const { webhook } = await create()
  await service.database.run({ text: 'update webhooks set disabled_at = now()' })
  expect(await reasonOf(acme.post(`/v1/webhooks/${webhook.id}/test`))).toEqual([409, 'WEBHOOK_DISABLED'])
  const { webhooks } = webhookListSchema.parse((await acme.get('/v1/webhooks')).json())
  expect(webhooks).toMatchObject([{ disabled_at: expect.any(String) }])
})

describe('is refused', () => {
  test.each([
    ['no URL', {}],
    ['an unknown field', { url: 'https://a.example/', title: 'x' }],
    ['an unknown type', { url: 'https://a.example/', event_types: ['run.finished'] }],
    ['no type', { url: 'https://a.example/', event_types: [] }],
    ['a type twice', { url: 'https://a.example/', event_types: ['run.created', 'run.created'] }],
    ['a URL that is too long', { url: `https://a.example/${'a'.repeat(2_048)}` }],
    ['http', { url: 'http://a.example/' }],
  ])('a webhook with %s', async (_, body) => {
    expect(await reasonOf(acme.post('/v1/webhooks', body))).toEqual([400, 'WEBHOOK_PAYLOAD_INVALID'])
  })

  test('one webhook more than a customer may have', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => create({ name: `${n}` })))
    expect(await reasonOf(acme.post('/v1/webhooks', { url: receiver.url }))).toEqual([409, 'LIMIT_REACHED'])
    await create({}, other)
  })

  test('a cursor of another list', async () => {
    const { webhook } = await create()
    const reply = acme.get(`/v1/webhooks/${webhook.id}/deliveries?cursor=abc`)
    expect(await reasonOf(reply)).toEqual([400, 'WEBHOOKS_QUERY_PARAMS_INVALID'])
    expect(await reasonOf(acme.get('/v1/webhooks?cursor=abc'))).toEqual([400, 'WEBHOOKS_QUERY_PARAMS_INVALID'])
    expect(await reasonOf(acme.get(`/v1/webhooks/${webhook.id}?x=1`))).toEqual([400, 'WEBHOOKS_QUERY_PARAMS_INVALID'])
  })

  test('a delivery that does not exist', async () => {
    const { webhook } = await create()
    for (const delivery_id of ['run_01m7f8njhrfe3b4wzz6kye37bb_7', 'nonsense']) {
      const reply = acme.post(`/v1/webhooks/${webhook.id}/redeliver`, { delivery_id })
      expect(await reasonOf(reply)).toEqual([404, 'DELIVERY_NOT_FOUND'])
    }
  })

  test.each([
    ['GET', ''],
    ['DELETE', ''],
    ['PATCH', ''],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
  ])('%s {id}%s of another customer, as if it did not exist', async (method, end) => {
    const { webhook } = await create()
    const body = method === 'PATCH' ? { body: {}, headers: jsonType } : {}
    expect(await reasonOf(other.send({ method, path: `/v1/webhooks/${webhook.id}${end}`, ...body }))).toEqual([
      404,
      'WEBHOOK_NOT_FOUND',
    ])
    expect((await acme.get(`/v1/webhooks/${webhook.id}`)).status).toBe(200)
  })

  test('a key without the scope', async () => {
    const { key, secret } = (await acme.post('/v1/keys', {})).json<{ key: { id: string }; secret: string }>()
    const plain = new Caller(service.url, `${key.id}:${secret}`)
    expect(await reasonOf(plain.get('/v1/webhooks'))).toEqual([403, 'SCOPE_DENIED'])
  })
})
