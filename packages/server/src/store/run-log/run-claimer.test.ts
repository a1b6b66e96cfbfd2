import { randomBytes, randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'

test('how a run was routed is known from its first event, and of older runs from where it stood', async () => {
  const { database, drop } = await freshDatabase()
  onTestFinished(drop)
  const [recent, older] = [newRun(), newRun()]
  const creator = new RunCreator(database, () => undefined)
  await Promise.all([recent, older].map((run) => creator.create(run)))
  await database.run({
    text: `update run_inputs set routing = '{"first_role":"worker"}', created_at = null, created_payload = null where run_id = $1`,
    values: [older.id],
  })
  const keys = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  const claimer = new RunClaimer(database, () => undefined, { workerId: randomUUID(), leaseMs: 60_000, keys })
  const claimed = await claimer.claim([{ runClass: 'default', places: 2, afterCustomer: '' }], 2)
  expect(Object.fromEntries(claimed.map(({ id, routing }) => [id, routing]))).toEqual({
    [recent.id]: { first_role: 'planner' },
    [older.id]: { first_role: 'worker' },
  })
})
