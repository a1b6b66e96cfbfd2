// A process commits an event, and another one delivers its message: at once if both are there, and also if the first
// was killed in between.
import type { WebhookWithSecret } from '@runwright/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdDuty } from '../support/hold-duty.ts'
import type { Caller } from '../support/http.ts'
import { type HostedFleet, startFleet } from '../support/processes.ts'
import { answerWith, never, Receiver } from '../support/receiver.ts'

let hosted: HostedFleet
let receiver: Receiver
beforeAll(async () => {
  hosted = await startFleet({ env: { RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' } })
  await holdDuty(hosted.database)
  receiver = await new Receiver().start()
})
afterAll(async () => {
  await hosted.close()
  await receiver.stop()
})

async function createWebhook(caller: Caller): Promise<WebhookWithSecret> {
  await hosted.database.run({ text: "update api_keys set scopes = array_append(scopes, 'webhooks:admin')" })
  return (await caller.post('/v1/webhooks', { url: receiver.url, event_types: ['run.created'] })).json()
}

test('a message survives kill -9 of the process that wrote it, and of the one that sent it', async () => {
  const { fleet, database } = hosted
  const api = await fleet.start('api')
  const caller = fleet.caller(api)
  const { secret } = await createWebhook(caller)
  const { id } = await caller.newRun()
  await api.kill()
  expect(receiver.received.all).toEqual([])

  receiver.answer = never
  const first = await fleet.start('worker')
  await receiver.received.nth(1, () => true)
  await first.kill()
  receiver.answer = answerWith(204)
  // The lease of the killed process ends.
  await database.run({ text: 'update webhook_deliveries set next_at = now()' })
  await fleet.start('worker')
  await receiver.received.nth(2, () => true)

  const ids = receiver.received.all.map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([`${id}_1`, `${id}_1`])
  for (const { headers, body } of receiver.received.all) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'run.created' })
  }
})

test('a process that only serves the API tells one that sends', async () => {
  const { fleet } = hosted
  const [api] = await Promise.all([fleet.start('api'), fleet.start('worker')])
  receiver.received.all.length = 0
  receiver.answer = answerWith(204)
  const caller = fleet.caller(api)
  await createWebhook(caller)
  const { id } = await caller.newRun()
  const { headers } = await receiver.received.nth(1, () => true)
  expect(headers['webhook-id']).toBe(`${id}_1`)
})
