// Writes that are retried after a lost answer must be idempotent.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCustomer, addKey } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { newWireId } from '../../runtime/ids.ts'
import type { Database } from '../postgres/database.ts'
import { insertFirstKey } from './bootstrap.ts'
import { findCredentials } from './credentials.ts'
import { insertKey, listKeys, type NewKey, rotateLiveKey } from './keys.ts'

let fresh: FreshDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
  await addCustomer(database, 'acme')
})
afterAll(() => fresh.drop())

const newKey = (changes: Partial<NewKey> = {}): NewKey => ({
  id: newWireId('key'),
  customerId: 'acme',
  name: null,
  scopes: ['runs:read'],
  secretHash: randomBytes(32),
  expiresAt: null,
  ...changes,
})

test('the first key is recognised when the answer to its insert was lost', async () => {
  const key = newKey({ customerId: 'first' })
  expect(await insertFirstKey(database, key)).toBe(true)
  expect(await insertFirstKey(database, key)).toBe(true)
  expect(await insertFirstKey(database, newKey())).toBe(false)
})

test('a key inserted twice is inserted once', async () => {
  const key = newKey()
  const inserted = await insertKey(database, key)
  expect(await insertKey(database, key)).toEqual(inserted)
})

test('a key with a used id is neither overwritten nor returned', async () => {
  const key = newKey()
  await insertKey(database, key)
  expect(await insertKey(database, { ...key, secretHash: randomBytes(32) })).toBeUndefined()
  expect((await findCredentials(database, [key.id])).get(key.id)?.secretHash).toEqual(key.secretHash)
})

test('a repeated rotation keeps the previous secret', async () => {
  const key = newKey()
  await insertKey(database, key)
  const rotation = { id: key.id, customerId: 'acme', secretHash: randomBytes(32), overlapSeconds: 60 }
  const rotated = await rotateLiveKey(database, rotation)
  expect(await rotateLiveKey(database, rotation)).toEqual(rotated)
  expect((await findCredentials(database, [key.id])).get(key.id)).toMatchObject({
    secretHash: rotation.secretHash,
    previous: { hash: key.secretHash },
  })
})

test('a customer sees only its own keys, newest first', async () => {
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) ids.unshift((await addKey(database, { customerId: 'lister', name })).id)
  expect((await listKeys(database, 'lister')).map(({ id }) => id)).toEqual(ids)
})
