// A process commits an event, and another one delivers its message: at once if both are there, and also if the first
// was killed in between.
import type { DeliveryList, WebhookWithSecret } from '@runwright/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { holdDuty } from '../support/hold-duty.ts'
import type { Caller } from '../support/http.ts'
import { type HostedFleet, startFleet } from '../support/processes.ts'
import { answerWith, never, type Received, Receiver } from '../support/receiver.ts'

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

test.each(['slack', 'teams'])(
  'a question in %s whose sender is killed comes again with its id, and then no more',
  {
    timeout: 90_000,
  },
  async (format) => {
    const { fleet, database } = hosted
    await fleet.killAll()
    const caller = fleet.caller(await fleet.start('api'))
    const isOurs = ({ path }: Received) => path.endsWith(format)
    const { webhook } = (
      await caller.post('/v1/webhooks', { name: format, url: `${receiver.url}/${format}`, format })
    ).json<WebhookWithSecret>()
    const ask = async () => {
      const { id } = await caller.newRun()
      return `${id}_${await new Driver(database).toAwaiting(id)}`
    }
    const restartWorker = async () => {
      await worker.kill()
      // The lease of the killed process ends.
      await database.run({ text: 'update webhook_deliveries set next_at = now() where next_at is not null' })
      worker = await fleet.start('worker')
    }
    const question = await ask()
    receiver.answer = never
    let worker = await fleet.start('worker')
    await receiver.received.nth(1, isOurs)
    receiver.answer = answerWith(200)
    await restartWorker()
    await receiver.received.nth(2, isOurs)
    const stateOf = async () =>
      (await caller.get(`/v1/webhooks/${webhook.id}/deliveries`)).json<DeliveryList>().deliveries[0]?.state
    await expect.poll(stateOf, { timeout: 30_000 }).toBe('delivered')
    await restartWorker()
    const later = await ask()
    await receiver.received.nth(3, isOurs)
    const ids = receiver.received.all.filter(isOurs).map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([question, question, later])
  },
)
