import { randomBytes, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'

test('a claim reads the routing from the first event', async () => {
  const { database, drop } = await freshDatabase()
  onTestFinished(drop)
  const createdPayload = '{"request_id":"req_test","routing":{"first_role":"worker"}}'
  await new RunCreator(database, () => undefined).create(newRun({ createdPayload }))
  const keys = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  const claimer = new RunClaimer(database, () => undefined, { workerId: randomUUID(), leaseMs: 60_000, keys })
  const claimed = await claimer.claim([{ runClass: 'default', places: 2, afterCustomer: '' }], 2)
  expect(claimed.map(({ routing }) => routing)).toEqual([{ first_role: 'worker' }])
})
