// Messages to endpoints on loopback, verified by the library of the standard. Time passes when a test says so.
import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { EventType } from '@runwright/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { answerWith, never, type Received, Receiver } from '../../test/support/receiver.ts'
import { toWireId } from '../runtime/ids.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { RunLog } from '../store/run-log/run-log.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { listDeliveries } from '../store/webhooks/deliveries.ts'
import { listWebhooks } from '../store/webhooks/webhooks.ts'
import { endpointRules } from '../tools/http-fetch/endpoint-rules.ts'
import { Deliverer } from './deliverer.ts'
import { createWebhook, redeliver } from './manage-webhooks.ts'
import { createPostMessage, type PostMessage } from './post-message.ts'

let fresh: FreshDatabase
let keys: SealingKeys
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: `insert into customers (id) values ('acme'), ('other')` })
  keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  await keys.open()
})
afterAll(() => fresh.drop())

const rules = endpointRules('allow')
const logger = { warn: vi.fn() }
let receiver: Receiver
let deliverer: Deliverer

const delivererWith = (post: PostMessage = createPostMessage({ rules }), limits = {}, onFull = () => undefined) =>
  new Deliverer({ database: fresh.database, keys, post, logger, limits, onFull })

beforeEach(async () => {
  await fresh.database.run({ text: 'delete from webhooks' })
  await fresh.database.run({ text: 'delete from webhook_deliveries' })
  receiver = await new Receiver().start()
  deliverer = delivererWith()
})
afterEach(async () => {
  await deliverer.stop()
  await receiver.stop()
  expect(logger.warn.mock.calls).toEqual([])
})

const keyPepper = randomBytes(32)
const store = () => ({ database: fresh.database, keyring: keys.keyring, keyPepper, rules })

const callerOf = (customerId: string) => ({ customerId, keyId: 'key_1' })

async function hook(event_types: EventType[] = ['run.created'], { customerId = 'acme', url = receiver.url } = {}) {
  const request = { name: randomUUID(), url, event_types }
  const { webhook, secret } = await createWebhook(store(), callerOf(customerId), request)
  return { id: webhook.id, secret: secret ?? expect.fail('no secret') }
}

async function createRun(customerId = 'acme'): Promise<string> {
  const run = newRun({ customerId, workspaceId: 'finance', subjectId: 'user-42' })
  await new RunCreator(fresh.database, () => undefined).create(run)
  return run.id
}

const cancel = (runId: string) =>
  new RunLog(fresh.database, () => undefined).apply({
    runId,
    customerId: 'acme',
    epoch: null,
    trigger: 'cancel',
    events: [{ type: 'run.cancelled', payload: {}, terminal: true }],
  })

const rows = (webhookId: string, customerId = 'acme') =>
  listDeliveries(fresh.database, { customerId, webhookId, before: undefined, limit: 50 })

/** All that waits for its next attempt is due now. */
const passTime = () =>
  fresh.database.run({ text: 'update webhook_deliveries set next_at = now() where next_at is not null' })
const endPauses = () => fresh.database.run({ text: 'update webhooks set paused_until = now()' })

const verified = ({ headers, body }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

const secondsUntil = (date: Date | null | undefined): number => ((date?.getTime() ?? Number.NaN) - Date.now()) / 1000

describe('a message', () => {
  test('is signed, names its event, and is sent once', async () => {
    const { id, secret } = await hook()
    const runId = toWireId('run', await createRun())
    await deliverer.runOnce()
    await deliverer.runOnce()
    const [message] = receiver.received.all as [Received]
    expect(receiver.received.all).toHaveLength(1)
    expect(verified(message, secret)).toEqual({
      type: 'run.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { run_id: runId, status: 'queued', seq: 1, workspace_id: 'finance', subject_id: 'user-42' },
    })
    expect(message.headers).toMatchObject({ 'webhook-id': `${runId}_1`, 'content-type': 'application/json' })
    expect(await rows(id)).toMatchObject([{ delivered: true, attempt: 1, responseStatus: 204, nextAt: null }])
  })

  test('has the time of the database, whatever the clock of this process says', async () => {
    await hook()
    await createRun()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
    await deliverer.runOnce().finally(() => vi.useRealTimers())
    const [row] = await fresh.database.run<{ now: number }>({
      text: 'select extract(epoch from clock_timestamp())::float8 as now',
    })
    const sentAt = Number(receiver.received.all[0]?.headers['webhook-timestamp'])
    expect(Math.abs(sentAt - (row?.now ?? 0))).toBeLessThan(60)
  })

  test('shares the record of its outcome with others that end at the same time', async () => {
    const { id } = await hook()
    await Promise.all(Array.from({ length: 30 }, () => createRun()))
    const held: ServerResponse[] = []
    receiver.answer = (response) => void held.push(response)
    deliverer.poke()
    await receiver.received.nth(30, () => true)
    const query = vi.spyOn(fresh.database, 'query')
    for (const response of held) response.writeHead(204).end()
    await deliverer.runOnce()
    const records = query.mock.calls.filter(([{ text }]) => text.includes('response_status = r.response_status'))
    query.mockRestore()
    expect(records.length).toBeLessThan(15)
    expect((await rows(id)).filter(({ delivered }) => delivered)).toHaveLength(30)
  })

  test('that fails is sent again after 5 s with the same id and body', async () => {
    const { id } = await hook()
    await createRun()
    receiver.answer = answerWith(500)
    await deliverer.runOnce()
    const [failed] = await rows(id)
    expect(failed).toMatchObject({ delivered: false, attempt: 1, responseStatus: 500 })
    expect(failed?.error).toBe('The endpoint answered with status 500.')
    expect(secondsUntil(failed?.nextAt)).toBeGreaterThan(3)
    expect(secondsUntil(failed?.nextAt)).toBeLessThan(6.1)
    receiver.answer = answerWith(200)
    await passTime()
    await deliverer.runOnce()
    const [first, second] = receiver.received.all
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    expect(await rows(id)).toMatchObject([{ delivered: true, attempt: 2, error: null }])
  })

  test('is given up after ten attempts, and can be sent again', async () => {
    const { id } = await hook()
    const runId = await createRun()
    receiver.answer = answerWith(404)
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      await endPauses()
      await passTime()
      await deliverer.runOnce()
    }
    expect(receiver.received.all).toHaveLength(10)
    expect(await rows(id)).toMatchObject([{ delivered: false, attempt: 10, nextAt: null, responseStatus: 404 }])
    receiver.answer = answerWith(204)
    await endPauses()
    await redeliver(fresh.database, {
      customerId: 'acme',
      id: toWireId('hook', id),
      deliveryId: `${toWireId('run', runId)}_1`,
    })
    await deliverer.runOnce()
    expect(await rows(id)).toMatchObject([{ delivered: true, attempt: 1 }])
  })

  test('waits as long as Retry-After says', async () => {
    const { id } = await hook()
    await createRun()
    receiver.answer = answerWith(429, { 'retry-after': '600' })
    await deliverer.runOnce()
    const [row] = await rows(id)
    expect(secondsUntil(row?.nextAt)).toBeGreaterThan(590)
    expect(secondsUntil(row?.nextAt)).toBeLessThan(601)
  })

  test('does not follow a redirect', async () => {
    const { id } = await hook()
    await createRun()
    receiver.answer = answerWith(307, { location: '/other' })
    await deliverer.runOnce()
    expect(receiver.received.all.map(({ path }) => path)).toEqual(['/hook'])
    expect(await rows(id)).toMatchObject([{ delivered: false, responseStatus: 307, attempt: 1 }])
  })

  test('fails when the endpoint does not answer in time', async () => {
    deliverer = delivererWith(createPostMessage({ rules, timeoutMs: 50 }))
    const { id } = await hook()
    await createRun()
    receiver.answer = never
    await deliverer.runOnce()
    const error = 'The endpoint did not answer within 0.05 seconds.'
    expect(await rows(id)).toMatchObject([{ delivered: false, responseStatus: null, error }])
  })

  test('that a stopping process does not finish is due at once, with all its attempts', async () => {
    const { id } = await hook()
    await createRun()
    receiver.answer = never
    deliverer.poke()
    await receiver.received.nth(1, () => true)
    await deliverer.stop()
    const [row] = await rows(id)
    expect(row).toMatchObject({ delivered: false, attempt: 0 })
    expect(secondsUntil(row?.nextAt)).toBeLessThanOrEqual(0)
  })

  test('whose sender has vanished is sent by another one', async () => {
    const { id } = await hook()
    await createRun()
    await new Promise<void>((resolve) => {
      const vanishing = delivererWith(() => {
        resolve()
        return new Promise(() => undefined)
      })
      vanishing.poke()
    })
    await deliverer.runOnce()
    expect(receiver.received.all).toEqual([])
    await passTime()
    await deliverer.runOnce()
    expect(await rows(id)).toMatchObject([{ delivered: true, attempt: 2 }])
  })
})

describe('the order', () => {
  test('of the events of a run is kept: a later one waits for those before it', async () => {
    await hook(['run.created', 'run.cancelled'])
    const runId = await createRun()
    receiver.answer = answerWith(503)
    await deliverer.runOnce()
    await cancel(runId)
    await deliverer.runOnce()
    expect(receiver.messages.map(({ type }) => type)).toEqual(['run.created'])
    receiver.answer = answerWith(204)
    await passTime()
    await deliverer.runOnce()
    expect(receiver.messages.map(({ type }) => type)).toEqual(['run.created', 'run.created', 'run.cancelled'])
  })

  test('goes on after an event that was given up', async () => {
    await hook(['run.created', 'run.cancelled'])
    const runId = await createRun()
    await cancel(runId)
    await fresh.database.run({ text: 'update webhook_deliveries set next_at = null, ended_at = now() where seq = 1' })
    await deliverer.runOnce()
    expect(receiver.messages.map(({ type }) => type)).toEqual(['run.cancelled'])
  })
})

describe('an endpoint', () => {
  test('that answers 410 is disabled: nothing more is sent to it', async () => {
    const { id } = await hook()
    await createRun()
    receiver.answer = answerWith(410)
    await deliverer.runOnce()
    await createRun()
    await deliverer.runOnce()
    expect(receiver.received.all).toHaveLength(1)
    expect(await listWebhooks(fresh.database, { customerId: 'acme', limit: 9 })).toMatchObject([
      { id, disabledAt: expect.any(Date) },
    ])
    expect(await rows(id)).toMatchObject([{ delivered: false, nextAt: null, responseStatus: 410 }])
  })

  test('that fails five times in a row is left alone for a minute, and then gets one message', async () => {
    await hook()
    receiver.answer = answerWith(500)
    for (let run = 0; run < 5; run += 1) {
      await createRun()
      await deliverer.runOnce()
    }
    await Promise.all([createRun(), createRun(), createRun()])
    await deliverer.runOnce()
    expect(receiver.received.all).toHaveLength(5)
    const [webhook] = await listWebhooks(fresh.database, { customerId: 'acme', limit: 9 })
    expect(secondsUntil(webhook?.pausedUntil)).toBeGreaterThan(55)
    await endPauses()
    await deliverer.runOnce()
    expect(receiver.received.all).toHaveLength(6)
    receiver.answer = answerWith(204)
    await endPauses()
    await deliverer.runOnce()
    expect(await listWebhooks(fresh.database, { customerId: 'acme', limit: 9 })).toMatchObject([{ pausedUntil: null }])
    expect(receiver.received.all).toHaveLength(8)
  })

  test('of one customer that does not answer delays no message of another one', async () => {
    deliverer = delivererWith(createPostMessage({ rules }), { perWebhook: 8 })
    const dead = await new Receiver().start()
    dead.answer = never
    await hook(['run.created'], { url: dead.url })
    await hook(['run.created'], { customerId: 'other' })
    await Promise.all(Array.from({ length: 40 }, () => createRun()))
    deliverer.poke()
    await dead.received.nth(8, () => true)
    await createRun('other')
    deliverer.poke()
    await receiver.received.nth(1, () => true)
    expect(dead.received.all).toHaveLength(8)
    await deliverer.stop()
    await dead.stop()
  })

  test('is reached although many others are visited before it', async () => {
    deliverer = delivererWith(createPostMessage({ rules }), { visits: 2 })
    await Promise.all(Array.from({ length: 5 }, () => hook()))
    await hook(['run.created'], { customerId: 'other' })
    await fresh.database.run({ text: `update webhooks set paused_until = 'infinity' where customer_id = 'acme'` })
    await createRun()
    const runId = await createRun('other')
    await deliverer.runOnce()
    expect(receiver.messages.map(({ data }) => data.run_id)).toEqual([toWireId('run', runId)])
  })

  test('gets no more messages at once than its customer may have places', async () => {
    deliverer = delivererWith(createPostMessage({ rules }), { perCustomer: 3, perWebhook: 2 })
    receiver.answer = never
    await Promise.all([hook(), hook()])
    await Promise.all([createRun(), createRun(), createRun()])
    deliverer.poke()
    await receiver.received.nth(3, () => true)
    await deliverer.stop()
    expect(receiver.received.all).toHaveLength(3)
  })
})

test('a process without places tells the others, but not those that have told it', async () => {
  const onFull = vi.fn()
  deliverer = delivererWith(createPostMessage({ rules }), { places: 1 }, onFull)
  receiver.answer = never
  await hook()
  await Promise.all([createRun(), createRun()])
  deliverer.poke('elsewhere')
  await receiver.received.nth(1, () => true)
  // It has taken one, and there may be more.
  expect(onFull).toHaveBeenCalledTimes(1)
  const run = vi.spyOn(fresh.database, 'run')
  const poke = async (from: 'here' | 'elsewhere') => {
    deliverer.poke(from)
    await Promise.all(run.mock.results.map(({ value }) => value))
    await setImmediate()
  }
  // Two processes that tell each other so would never end.
  await poke('elsewhere')
  expect(onFull).toHaveBeenCalledTimes(1)
  await poke('here')
  expect(onFull).toHaveBeenCalledTimes(2)
  expect(run.mock.calls.length).toBeGreaterThanOrEqual(2)
  run.mockRestore()
})

describe('an address', () => {
  const dialled: (readonly string[])[] = []
  const dial = (addresses: readonly string[]) => {
    dialled.push(addresses)
    return (_options: unknown, callback: (error: Error, socket: null) => void) =>
      callback(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null)
  }
  const guarded = (addresses: readonly string[]) =>
    createPostMessage({ rules: endpointRules('deny'), network: { resolve: async () => addresses, dial } })

  test.each([
    ['10.0.0.1', [], '"hooks.example" is not on the public Internet.'],
    ['127.0.0.1', [], '"hooks.example" is not on the public Internet.'],
    ['::1', [], '"hooks.example" is not on the public Internet.'],
    ['93.184.215.14', [['93.184.215.14']], '"hooks.example" refused the connection.'],
  ])('%s of a name is contacted only if it is public', async (address, contacted, error) => {
    dialled.length = 0
    deliverer = delivererWith(guarded([address]))
    const { id } = await hook(['run.created'], { url: 'https://hooks.example/a' })
    await createRun()
    await deliverer.runOnce()
    expect(dialled).toEqual(contacted)
    expect((await rows(id))[0]?.error).toContain(error)
  })
})
