import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { addSchedule } from '../../test/support/customer-rows.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { newRun } from '../../test/support/new-run.ts'
import { operator } from '../domain/actor.ts'
import { finish } from '../domain/finish.ts'
import { splitSecrets } from '../domain/secrets/split-secrets.ts'
import { newUuid, toWireId } from '../runtime/ids.ts'
import { createLogger } from '../runtime/logger.ts'
import type { Owner } from '../runtime/secrets/cipher-keyring.ts'
import { insertCustomer } from '../store/keys/customers.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { findBodiesBefore, firstBody } from '../store/schedules/sealed-bodies.ts'
import { findSecretContent } from '../store/sealed/inputs.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { countSealed } from '../store/sealed/values.ts'
import { findWebhookSecretsBefore } from '../store/webhooks/sealed-secrets.ts'
import { insertWebhook, rotateWebhook } from '../store/webhooks/webhooks.ts'
import { ValueSealer } from './seal-values.ts'

const [old, next] = [randomBytes(32), randomBytes(32)]
const tags = [{ path: '$.input.password', classification: 'credential' } as const]
const sent = { input: { password: 'hunter2', note: 'hunter2!' }, metadata: {}, sensitivity_tags: tags }

let fresh: FreshDatabase
let lines: string[]
beforeEach(async () => {
  fresh = await freshDatabase()
  lines = []
  return () => fresh.drop()
})

async function host(encryptionKey: Buffer, ...previousEncryptionKeys: Buffer[]) {
  const keys = new SealingKeys(fresh.database, { encryptionKey, previousEncryptionKeys })
  await keys.open()
  return keys
}

function sealerFor(keys: SealingKeys, { hasPrevious = false, batchSize = 3 } = {}): ValueSealer {
  const logger = createLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
  return new ValueSealer({ database: fresh.database, keys, logger, hasPrevious, batchSize })
}

const create = (run: Parameters<typeof newRun>[0]) =>
  new RunCreator(fresh.database, () => undefined).create(newRun(run))

async function createSealed(keys: SealingKeys): Promise<string> {
  const id = newUuid()
  const split = finish(splitSecrets(sent, undefined))
  const sealed = keys.keyring.seal(split?.sealed, { runId: id, customerId: 'acme' })
  const input = JSON.stringify(split?.clear.input)
  await create({ id, input, sensitivityTags: tags, sealed })
  return id
}

const read = async (keys: SealingKeys, id: string) =>
  (await findSecretContent({ database: fresh.database, keys }, { customerId: 'acme', id }))?.input

describe('after a change of the key', () => {
  test('the bodies of schedules are sealed with the new data key too, and one that cannot be opened is skipped', async () => {
    const before = await host(old)
    await insertCustomer(fresh.database, 'acme')
    await addSchedule(fresh.database, before, 'acme', 'body')
    await fresh.database.run({
      text: `
insert into schedules (customer_id, id, cron, time_zone, catch_up, run, sealed, sealed_key)
select customer_id, '01990000-0000-7000-8000-000000000001', cron, time_zone, catch_up, run, '', sealed_key
from schedules`,
    })
    const keys = await host(next, old)
    expect(await sealerFor(keys).runOnce()).toEqual({ sealed: 1, isDone: true })
    const [broken, found] = await findBodiesBefore(fresh.database, keys.keyring.newest + 1, {
      after: firstBody,
      limit: 9,
    })
    expect(broken?.keyId).toBe(before.keyring.newest)
    expect(found && [found.keyId, keys.keyring.open(found, found)]).toEqual([keys.keyring.newest, 'body'])
    expect(Object.fromEntries(await countSealed(fresh.database))).toEqual({
      [before.keyring.newest]: 1,
      [keys.keyring.newest]: 1,
    })
    expect(lines.join('')).toContain('"schedule":"01990000-0000-7000-8000-000000000001"')
  })

  test('the secrets of webhooks are sealed with the new data key too, during a rotation both', async () => {
    const before = await host(old)
    const [customerId, webhookId, seed] = ['acme', newUuid(), randomBytes(32)]
    await insertCustomer(fresh.database, customerId)
    const seal = (secret: string) => before.keyring.seal(secret, { customerId, webhookId })
    const webhook = { customerId, id: webhookId, url: 'https://a.example/', eventTypes: ['run.created'] as const }
    await insertWebhook(fresh.database, { ...webhook, sealed: seal('first') }, { atMost: 1, by: operator, seed })
    await rotateWebhook(fresh.database, {
      customerId,
      id: webhookId,
      sealed: seal('second'),
      overlapSeconds: 60,
      by: operator,
      seed,
    })
    const keys = await host(next, old)
    expect(await sealerFor(keys).runOnce()).toEqual({ sealed: 1, isDone: true })
    expect([...(await countSealed(fresh.database))]).toEqual([[keys.keyring.newest, 2]])
    const [found] = await findWebhookSecretsBefore(fresh.database, keys.keyring.newest + 1)
    const opened = [found?.current, ...(found?.old ?? [])].map(
      (sealed) => sealed && keys.keyring.open(sealed, found as Owner),
    )
    expect(opened).toEqual(['second', 'first'])
  })

  test('every value is sealed with the new data key, in batches, and reads as before', async () => {
    const before = await host(old)
    const ids = await Promise.all(Array.from({ length: 8 }, () => createSealed(before)))
    const keys = await host(next, old)
    expect(await sealerFor(keys).runOnce()).toEqual({ sealed: 8, isDone: true })
    expect([...(await countSealed(fresh.database))]).toEqual([[keys.keyring.newest, 8]])
    for (const id of ids) expect(await read(keys, id)).toEqual(sent.input)
  })

  test('the log shows the progress, and once that the previous key can be removed', async () => {
    await createSealed(await host(old))
    const sealer = sealerFor(await host(next, old), { hasPrevious: true })
    for (let round = 0; round < 3; round += 1) await sealer.runOnce()
    expect(lines.filter((line) => line.includes('"sealed":1,"left":0'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS can be removed'))).toHaveLength(1)
  })

  test('several processes can do it at once', async () => {
    const before = await host(old)
    for (let n = 0; n < 20; n += 1) await createSealed(before)
    const hosts = await Promise.all([host(next, old), host(next, old), host(old)])
    const rounds = await Promise.all(hosts.map((keys) => sealerFor(keys).runOnce()))
    expect(rounds.reduce((sum, { sealed }) => sum + sealed, 0)).toBe(20)
    const [keys] = hosts
    expect([...(await countSealed(fresh.database))]).toEqual([[keys?.keyring.newest, 20]])
  })

  test('a host with only the old key does not undo it', async () => {
    const behind = await host(old)
    const id = await createSealed(behind)
    const keys = await host(next, old)
    await sealerFor(keys).runOnce()
    expect(await sealerFor(behind).runOnce()).toEqual({ sealed: 0, isDone: true })
    expect(await read(behind, id)).toEqual(sent.input)
    expect([...(await countSealed(fresh.database)).keys()]).toEqual([keys.keyring.newest])
  })

  test('wraps of old keys are deleted only when nothing is left to seal', async () => {
    await createSealed(await host(old))
    await host(next, old)
    await sealerFor(await host(next)).runOnce()
    await expect(host(old)).rejects.toThrow('RUNWRIGHT_ENCRYPTION_KEY differs')
  })

  test('a value that does not open is logged and kept, and does not hold up others', async () => {
    const before = await host(old)
    const broken = await Promise.all(Array.from({ length: 4 }, () => createSealed(before)))
    await fresh.database.query({ text: "update run_inputs set sealed = 'broken'" })
    const good = await createSealed(before)
    const keys = await host(next, old)
    expect(await sealerFor(keys, { hasPrevious: true }).runOnce()).toEqual({ sealed: 1, isDone: true })
    expect(await read(keys, good)).toEqual(sent.input)
    for (const id of broken) expect(lines.join()).toContain(toWireId('run', id))
    expect(lines.join()).not.toContain('can be removed')
  })
})
