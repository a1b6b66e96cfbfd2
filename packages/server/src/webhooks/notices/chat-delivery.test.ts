// Messages to chats, from the event in the database to the endpoint.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Driver } from '../../../test/support/drive.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { Receiver } from '../../../test/support/receiver.ts'
import { slackMessageSchema } from '../../../test/support/slack-schema.ts'
import { teamsProblems } from '../../../test/support/teams-schema.ts'
import { toWireId } from '../../runtime/ids.ts'
import { RunCreator } from '../../store/run-log/run-creator.ts'
import { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { listDeliveries } from '../../store/webhooks/deliveries.ts'
import { endpointRules } from '../../tools/http-fetch/endpoint-rules.ts'
import { Deliverer } from '../deliverer.ts'
import { createWebhook, updateWebhook } from '../manage-webhooks.ts'
import { createPostMessage } from '../post-message.ts'

const rules = endpointRules('allow')
const caller = { customerId: 'acme', keyId: 'key_1' }
const receiver = new Receiver()
const logger = { warn: vi.fn() }
let fresh: FreshDatabase
let keys: SealingKeys
let deliverer: Deliverer
beforeAll(async () => {
  fresh = await freshDatabase()
  const { database } = fresh
  await database.run({ text: `insert into customers (id) values ('acme')` })
  keys = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  await keys.open()
  await receiver.start()
  const publicUrl = 'https://run.example.com'
  deliverer = new Deliverer({ database, keys, post: createPostMessage({ rules }), publicUrl, logger })
})
afterAll(async () => {
  await deliverer.stop()
  await receiver.stop()
  await fresh.drop()
  expect(logger.warn).not.toHaveBeenCalled()
})

const store = () => ({ database: fresh.database, keyring: keys.keyring, keyPepper: randomBytes(32), rules })

async function waitingRun(): Promise<{ id: string; seq: number }> {
  const run = newRun()
  await new RunCreator(fresh.database, () => undefined).create(run)
  const id = toWireId('run', run.id)
  return { id, seq: await new Driver(fresh.database).toAwaiting(id, { prompt: 'Pay <!channel>?' }) }
}

test('a question reaches Slack and Teams, each in its form; one that is over is not sent', async () => {
  const { webhook } = await createWebhook(store(), caller, { url: receiver.url, format: 'slack' })
  expect(webhook).toMatchObject({
    format: 'slack',
    eventTypes: ['run.awaiting_input', 'run.signal_applied', 'run.input_received'],
  })
  await createWebhook(store(), caller, { name: 'teams', url: receiver.url, format: 'teams' })
  const { id, seq } = await waitingRun()
  await deliverer.runOnce()
  const bodies = receiver.received.all.map(({ body }) => body)
  expect(bodies).toHaveLength(2)
  for (const body of bodies) {
    expect(body).toContain(`https://run.example.com/console/#/decide/${id}/${seq}`)
    if (body.includes('"blocks"')) expect(slackMessageSchema.safeParse(JSON.parse(body)).error).toBeUndefined()
    else expect(teamsProblems(body)).toEqual([])
  }
  const over = await waitingRun()
  const cancelled = { type: 'run.cancelled', payload: {}, terminal: true } as const
  await new Driver(fresh.database).apply(over.id, { trigger: 'cancel', events: [cancelled] })
  await deliverer.runOnce()
  expect(receiver.received.all).toHaveLength(2)
  const page = { customerId: 'acme', webhookId: webhook.id, before: undefined, limit: 1 }
  const [latest] = await listDeliveries(fresh.database, page)
  expect(latest).toMatchObject({ delivered: false, nextAt: null, error: expect.stringMatching(/^Not sent/) })
})

test('a chat takes no events that it cannot show', async () => {
  const other = createWebhook(store(), caller, { url: receiver.url, format: 'slack', event_types: ['run.created'] })
  await expect(other).rejects.toThrow(/format slack cannot receive run.created/)
  const { webhook } = await createWebhook(store(), caller, { name: 'more', url: receiver.url, format: 'teams' })
  const changed = updateWebhook(store(), caller, { id: toWireId('hook', webhook.id), event_types: ['step.done'] })
  await expect(changed).rejects.toThrow(/format teams cannot receive step.done/)
})
