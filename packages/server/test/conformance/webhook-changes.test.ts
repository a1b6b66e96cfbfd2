// PATCH /v1/webhooks/{id}: another endpoint, other events, pause, and resume after the endpoint was gone.
import {
  type Delivery,
  type Key,
  type KeyDetail,
  type KeyWithSecret,
  type Webhook,
  type WebhookList,
  type WebhookWithSecret,
  webhookResultSchema,
} from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { holdDuty } from '../support/hold-duty.ts'
import { Caller, expectRefusal, jsonType } from '../support/http.ts'
import { answerWith, Receiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let receiver: Receiver
let second: Receiver
beforeAll(async () => {
  const host = await freshDatabase()
  await holdDuty(host.open(1))
  service = await startService({ RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, { worker: true, host })
  acme = new Caller(service.url, service.key)
  receiver = await new Receiver().start()
  second = await new Receiver().start()
})
afterAll(async () => {
  await service.stop()
  await receiver.stop()
  await second.stop()
})
beforeEach(async () => {
  await service.database.run({ text: 'delete from webhooks' })
  for (const one of [receiver, second]) one.received.all.length = 0
  receiver.answer = answerWith(204)
})

const create = async (body: object = {}, caller = acme): Promise<Webhook> =>
  (await caller.post('/v1/webhooks', { url: receiver.url, ...body })).json<WebhookWithSecret>().webhook
const get = async ({ id }: Webhook) => (await acme.get(`/v1/webhooks/${id}`)).json<{ webhook: Webhook }>().webhook
const patch = ({ id }: Webhook, body: unknown, caller = acme) =>
  caller.send({ method: 'PATCH', path: `/v1/webhooks/${id}`, body, headers: jsonType })
const change = async (webhook: Webhook, body: object): Promise<Webhook> => {
  const reply = await patch(webhook, body)
  expect(reply.status, reply.text).toBe(200)
  return webhookResultSchema.strict().parse(reply.json()).webhook
}
const sendTest = ({ id }: Webhook) => acme.post(`/v1/webhooks/${id}/test`)

test('messages wait while a webhook is paused, and are sent when it is resumed', async () => {
  const webhook = await create()
  expect(webhook.paused).toBe(false)
  const paused = await change(webhook, { paused: true })
  expect(paused).toEqual({ ...webhook, paused: true, updated_at: expect.any(String) })
  expect(paused.updated_at > webhook.updated_at).toBe(true)
  expect(await get(webhook)).toEqual(paused)
  // A message to another webhook is sent meanwhile: the sender has looked at this one, too.
  const other = await create({ url: second.url })
  const id = await acme.newRunUntil('run.worker.succeeded')
  await second.received.nth(1, () => true)
  expect(receiver.received.all).toEqual([])
  const { deliveries } = (await acme.get(`/v1/webhooks/${webhook.id}/deliveries`)).json<{ deliveries: Delivery[] }>()
  expect(deliveries).toMatchObject([{ run_id: id, state: 'pending', attempts: 0 }])
  expect((await change(webhook, { paused: false })).paused).toBe(false)
  await receiver.received.nth(1, ({ body }) => body.includes(id))
  expect((await get(other)).paused).toBe(false)
})

test('a webhook whose endpoint was gone is resumed, and gets messages again', async () => {
  const webhook = await create()
  receiver.answer = answerWith(410)
  await sendTest(webhook)
  await receiver.received.nth(1, () => true)
  await expect.poll(async () => (await get(webhook)).disabled_at).not.toBeNull()
  const disabled = await get(webhook)
  expect(disabled.updated_at > webhook.updated_at).toBe(true)
  expectRefusal(await sendTest(webhook), 409, 'WEBHOOK_DISABLED')
  receiver.answer = answerWith(204)
  expect(await change(webhook, { paused: false })).toMatchObject({ disabled_at: null, paused: false })
  expect((await sendTest(webhook)).status).toBe(200)
  await receiver.received.nth(2, () => true)
})

test('a resume ends the pause of an endpoint that kept failing', async () => {
  const webhook = await create()
  const text = "update webhooks set failures = 7, paused_until = now() + interval '1 hour'"
  await service.database.run({ text })
  expect((await get(webhook)).paused_until).not.toBeNull()
  expect((await change(webhook, { paused: false })).paused_until).toBeNull()
  await service.database.run({ text })
  expect((await change(webhook, { url: second.url })).paused_until).toBeNull()
})

test('another endpoint and other events take effect for what comes', async () => {
  const webhook = await create()
  const changed = await change(webhook, { url: second.url, event_types: ['run.created'] })
  expect(changed).toMatchObject({ id: webhook.id, url: second.url, event_types: ['run.created'] })
  await acme.newRunUntil('run.worker.succeeded')
  await second.received.nth(1, () => true)
  expect(second.messages.map(({ type }) => type)).toEqual(['run.created'])
  expect(receiver.received.all).toEqual([])
})

test('a change to what it is already is no change', async () => {
  const webhook = await create()
  const same = { url: webhook.url, event_types: webhook.event_types, paused: false }
  for (const body of [{}, same]) expect(await change(webhook, body)).toEqual(webhook)
})

test.each([
  ['no body', undefined],
  ['an unknown field', { title: 'x' }],
  ['a null', { paused: null }],
  ['http to another host', { url: 'http://a.example/' }],
  ['no type', { event_types: [] }],
])('%s is refused, and nothing changes', async (_case, body) => {
  const webhook = await create()
  expectRefusal(await patch(webhook, body), 400, 'WEBHOOK_PAYLOAD_INVALID')
  expect(await get(webhook)).toEqual(webhook)
})

test('a change is in the audit log, without the URL', async () => {
  const webhook = await create()
  await change(webhook, { url: second.url, paused: true })
  const [row] = await service.database.run<{ key_id: string; details: string }>({
    text: `
select key_id, details::text as details
from (table audit_queue) queued
where action = 'webhook.update' and target = $1
union all
select key_id, details::text
from audit_entries
where action = 'webhook.update' and target = $1`,
    values: [webhook.id],
  })
  expect(row?.key_id).toBe('key_acme')
  expect(JSON.parse(row?.details ?? '')).toEqual({ changed: ['url', 'paused'] })
})

test('a key that has set the URL is told to leave the webhook, until it is paused', async () => {
  const webhook = await create()
  const { key, secret } = (await acme.post('/v1/keys', { scopes: ['webhooks:admin'] })).json<KeyWithSecret>()
  const caller = new Caller(service.url, `${key.id}:${secret}`)
  const left = async ({ id }: Pick<Key, 'id'>) =>
    (await acme.get(`/v1/keys/${id}`)).json<KeyDetail>().leaves.webhooks.map((one) => one.id)
  await patch(webhook, { event_types: ['run.created'] }, caller)
  expect(await left(key)).toEqual([])
  await patch(webhook, { url: second.url }, caller)
  expect([await left(key), await left({ id: 'key_acme' })]).toEqual([[webhook.id], []])
  await change(webhook, { paused: true })
  expect(await left(key)).toEqual([])
})

test('the list has pages, newest first', async () => {
  const ids = [await create(), await create({ name: 'a' }), await create({ name: 'b' })].map(({ id }) => id).reverse()
  const first = (await acme.get('/v1/webhooks?limit=2')).json<WebhookList>()
  const rest = (await acme.get(`/v1/webhooks?limit=2&cursor=${first.next_cursor}`)).json<WebhookList>()
  expect([first.webhooks, rest.webhooks].map((page) => page.map(({ id }) => id))).toEqual([
    ids.slice(0, 2),
    ids.slice(2),
  ])
  expect(rest.next_cursor).toBeNull()
})
