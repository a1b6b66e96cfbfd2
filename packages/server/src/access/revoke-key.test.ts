import { afterAll, beforeAll, expect, test } from 'vitest'
import { addKey, setExpiry } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { listKeys } from '../store/keys/keys.ts'
import type { Database } from '../store/postgres/database.ts'
import { revokeKey } from './revoke-key.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())

const revoke = (keyId: string) => revokeKey({ database }, { customerId: 'acme' }, keyId)

test('revoking again returns the same result, with the same time', async () => {
  const { id, key } = await addKey(database)
  const first = await revoke(id)
  expect(first).toEqual({ ...key, revokedAt: expect.any(Date), updatedAt: expect.any(Date) })
  expect(await revoke(id)).toEqual(first)
})

test('an expired key can be revoked', async () => {
  const { id } = await addKey(database)
  await setExpiry(database, id, -1)
  expect((await revoke(id)).revokedAt).toBeInstanceOf(Date)
})

test('ids of others, unknown ids and malformed ids get the same error', async () => {
  const foreign = await addKey(database, { customerId: 'other' })
  const ids = [foreign.id, 'key_unknown', 'no\0id', '']
  const refusals = await Promise.all(ids.map((id) => revoke(id).catch((error) => error)))
  for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
  expect(refusals[0]).toMatchObject({ reason: 'KEY_NOT_FOUND' })
  expect((await listKeys(database, 'other'))[0]?.revokedAt).toBeNull()
})
