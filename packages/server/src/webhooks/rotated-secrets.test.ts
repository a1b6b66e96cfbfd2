// Messages while secrets are rotated, verified by the library of the standard.
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { Receiver } from '../../test/support/receiver.ts'
import { toWireId } from '../runtime/ids.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import { Deliverer } from './deliverer.ts'
import { createWebhook, rotateWebhook } from './manage-webhooks.ts'
import { createPostMessage } from './post-message.ts'

const rules = endpointRules('allow')
const caller = { customerId: 'acme', keyId: 'key_1' }
const receiver = new Receiver()
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
  const logger = { warn: (...said: unknown[]) => expect.unreachable(JSON.stringify(said)) }
  deliverer = new Deliverer({ database, keys, post: createPostMessage({ rules }), logger })
})
afterAll(async () => {
  await deliverer.stop()
  await receiver.stop()
  await fresh.drop()
})

const keyPepper = randomBytes(32)
const store = () => ({ database: fresh.database, keyring: keys.keyring, keyPepper, rules })

async function newHook() {
  await fresh.database.run({ text: 'delete from webhooks' })
  const { webhook, secret } = await createWebhook(store(), caller, { url: receiver.url, event_types: ['run.created'] })
  const rotate = async (overlapSeconds: number) =>
    (await rotateWebhook(store(), caller, { id: toWireId('hook', webhook.id), overlapSeconds })).secret
  return { secret: secret ?? expect.fail('no secret'), rotate }
}

/** Which of these secrets the signatures of the next message match. */
async function matching(secrets: readonly string[]): Promise<string[]> {
  await new RunCreator(fresh.database, () => undefined).create(newRun({ customerId: 'acme' }))
  await deliverer.runOnce()
  const message = receiver.received.all.at(-1)
  const headers = message?.headers as Record<string, string>
  expect(headers['webhook-signature']?.split(' ').every((one) => one.startsWith('v1,'))).toBe(true)
  return secrets.filter((secret) => {
    try {
      return Boolean(new Webhook(secret).verify(message?.body ?? '', headers))
    } catch {
      return false
    }
  })
}

const end = (n: number) => fresh.database.run({ text: `update webhooks set old_until[${n}] = now()` })

test('a message has two signatures while its secret is rotated, and then one', async () => {
  const { secret, rotate } = await newHook()
  const next = await rotate(3_600)
  expect(await matching([secret, next])).toEqual([secret, next])
  await end(1)
  expect(await matching([secret, next])).toEqual([next])
})

test('after several rotations each old secret signs until its own time', async () => {
  const { secret: first, rotate } = await newHook()
  const second = await rotate(3_600)
  const third = await rotate(1_800)
  const all = [first, second, third]
  expect(await matching(all)).toEqual(all)
  await end(1)
  expect(await matching(all)).toEqual([first, third])
  const fourth = await rotate(60)
  expect(await matching([...all, fourth])).toEqual([first, third, fourth])
})

test('a rotation without an overlap ends all old secrets', async () => {
  const { secret: first, rotate } = await newHook()
  const second = await rotate(3_600)
  const third = await rotate(0)
  expect(await matching([first, second, third])).toEqual([third])
})

test('a webhook has five old secrets at most', async () => {
  const { rotate } = await newHook()
  for (let count = 0; count < 5; count += 1) await rotate(60)
  await expect(rotate(60)).rejects.toMatchObject({
    reason: 'LIMIT_REACHED',
    message: expect.stringMatching(/at most 5 old secrets .* after 20\d\d-/),
  })
  expect(await rotate(0)).toMatch(/^whsec_/)
})
