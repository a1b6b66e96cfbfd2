import { randomBytes, randomUUID } from 'node:crypto'
import type { EventType } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { startProxy } from '../../../test/support/proxy.ts'
import { operator } from '../../domain/actor.ts'
import { newUuid } from '../../runtime/ids.ts'
import { Database } from '../postgres/database.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { insertWebhook } from '../webhooks/webhooks.ts'
import { RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'
import { type Committed, RunLog } from './run-log.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.run({ text: `insert into customers (id) values ('acme'), ('other')` })
})
afterAll(() => fresh.drop())

const announced: Committed[] = []
const announce = (committed: readonly Committed[]) => void announced.push(...committed)

beforeEach(async () => {
  await fresh.database.run({ text: 'delete from webhooks' })
  await fresh.database.run({ text: 'delete from webhook_deliveries' })
  announced.length = 0
})

async function hook(eventTypes: readonly EventType[], customerId = 'acme'): Promise<string> {
  const id = newUuid()
  const sealed = { keyId: 1, bytes: randomBytes(40) }
  await insertWebhook(
    fresh.database,
    { customerId, id, name: id, url: 'https://a.example/', eventTypes, sealed },
    { atMost: 20, by: operator, seed: randomBytes(32) },
  )
  return id
}

const written = () =>
  fresh.database.run({
    text: 'select customer_id, webhook_id, run_id, seq, type, status, workspace_id from webhook_deliveries order by seq',
  })

const labels = { workspaceId: 'finance' }

async function create(changes: Parameters<typeof newRun>[0] = {}) {
  const run = newRun({ ...labels, ...changes })
  await new RunCreator(fresh.database, announce).create(run)
  return run
}

const claim = () => {
  const keys = new SealingKeys(fresh.database, { encryptionKey: randomBytes(32) })
  const claimer = new RunClaimer(fresh.database, announce, { workerId: randomUUID(), leaseMs: 60_000, keys })
  return claimer.claim([{ runClass: 'default', slots: 1, afterCustomer: '' }], 1)
}

const setRunning = (id: string) =>
  fresh.database.run({ text: `update runs set state = 'running', ready_at = null where id = $1`, values: [id] })

const succeed = (runId: string, epoch: number | null = null) =>
  ({
    runId,
    customerId: 'acme',
    epoch,
    trigger: 'succeed',
    events: [
      { type: 'step.done', payload: { content: 'x', outcome: 'succeeded' } },
      { type: 'run.worker.succeeded', payload: {}, terminal: true },
    ],
  }) as const

describe('a message is written with its event', () => {
  test('of a new run, whether its key was expected to be new or not', async () => {
    const webhook_id = await hook(['run.created'])
    const { id: run_id, idempotencyKey } = await create()
    const row = { customer_id: 'acme', webhook_id, run_id, seq: 1, type: 'run.created', status: 'queued' }
    expect(await written()).toEqual([{ ...row, workspace_id: 'finance' }])
    await create({ idempotencyKey })
    expect(await written()).toHaveLength(1)
    expect(announced.map(({ hasDeliveries }) => hasDeliveries)).toEqual([true])
  })

  test('of a change, for each webhook whose filter has the type, with the status after the change', async () => {
    const [one, two] = [await hook(['run.worker.succeeded']), await hook(['run.worker.succeeded', 'step.done'])]
    await hook(['run.worker.failed'])
    await hook(['run.worker.succeeded'], 'other')
    const { id } = await create()
    await setRunning(id)
    announced.length = 0
    await new RunLog(fresh.database, announce).apply(succeed(id))
    const rows = await written()
    expect(rows.map(({ seq, type, status, webhook_id }) => [seq, type, status, webhook_id]).sort()).toEqual(
      [
        [2, 'step.done', 'succeeded', two],
        [3, 'run.worker.succeeded', 'succeeded', one],
        [3, 'run.worker.succeeded', 'succeeded', two],
      ].sort(),
    )
    expect(announced).toMatchObject([{ runId: id, hasDeliveries: true }])
  })

  test('of a claim', async () => {
    await fresh.database.run({ text: 'delete from runs' })
    const webhook_id = await hook(['run.worker.started'])
    const { id: run_id } = await create()
    announced.length = 0
    await claim()
    expect(await written()).toMatchObject([
      { webhook_id, run_id, seq: 2, type: 'run.worker.started', status: 'running' },
    ])
    expect(announced).toMatchObject([{ runId: run_id, hasDeliveries: true }])
  })

  test('not of a change that is refused, and not for a disabled webhook', async () => {
    const id = await hook(['run.worker.succeeded'])
    const run = await create()
    await new RunLog(fresh.database, announce).apply(succeed(run.id, 7))
    expect(await written()).toEqual([])
    await fresh.database.run({ text: 'update webhooks set disabled_at = now() where id = $1', values: [id] })
    await setRunning(run.id)
    expect(await new RunLog(fresh.database, announce).apply(succeed(run.id))).toMatchObject({ outcome: 'applied' })
    expect(await written()).toEqual([])
    expect(announced.filter(({ hasDeliveries }) => hasDeliveries)).toEqual([])
  })
})

test('a flush whose answer is lost is sent again, and writes its messages once', async () => {
  await hook(['run.worker.succeeded'])
  const { id } = await create()
  await setRunning(id)
  const proxy = await startProxy(fresh.connection)
  const database = new Database({ connection: proxy.connection, maxConnections: 1, applicationName: 'runwright test' })
  const log = new RunLog(database, announce)
  await log.apply({ ...succeed(id), trigger: 'progress', events: [] })
  proxy.loseNextAnswer()
  expect(await log.apply(succeed(id))).toMatchObject({ outcome: 'applied' })
  expect(proxy.lost).toBe(1)
  expect(await written()).toHaveLength(1)
  await database.close()
  await proxy.close()
})
