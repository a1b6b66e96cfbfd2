// Writes that are retried after a lost answer must be idempotent.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCustomer, addKey } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { operator } from '../../domain/actor.ts'
import { newWireId } from '../../runtime/ids.ts'
import type { Database } from '../postgres/database.ts'
import { insertFirstKey } from './bootstrap.ts'
import { findCredentials } from './credentials.ts'
import { insertKey, type NewKey } from './insert-key.ts'
import { listKeys, revokeKeyOnce, rotateLiveKey } from './keys.ts'

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

const seed = randomBytes(32)
const insert = (key: NewKey, maxLiveKeys = 1_000) => insertKey(database, key, { maxLiveKeys, by: operator, seed })

test('the first key is recognised when the answer to its insert was lost', async () => {
  const key = newKey({ customerId: 'first' })
  expect(await insertFirstKey(database, key)).toBe(true)
  expect(await insertFirstKey(database, key)).toBe(true)
  expect(await insertFirstKey(database, newKey())).toBe(false)
})

test('a key inserted twice is inserted once', async () => {
  const key = newKey()
  const inserted = await insert(key)
  expect(await insert(key)).toEqual(inserted)
})

test('a key with a used id is neither overwritten nor returned', async () => {
  const key = newKey()
  await insert(key)
  expect(await insert({ ...key, secretHash: randomBytes(32) })).toEqual({ outcome: 'expired' })
  expect((await findCredentials(database, [key.id])).get(key.id)?.secretHash).toEqual(key.secretHash)
})

test('a repeated rotation keeps the previous secret', async () => {
  const key = newKey()
  await insert(key)
  const rotation = {
    id: key.id,
    customerId: 'acme',
    secretHash: randomBytes(32),
    overlapSeconds: 60,
    by: operator,
    seed,
  }
  const rotated = await rotateLiveKey(database, rotation)
  expect(await rotateLiveKey(database, rotation)).toEqual(rotated)
  expect((await findCredentials(database, [key.id])).get(key.id)).toMatchObject({
    secretHash: rotation.secretHash,
    old: [{ hash: key.secretHash }],
  })
})

test('a customer sees only its own keys, newest first', async () => {
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) ids.unshift((await addKey(database, { customerId: 'lister', name })).id)
  expect((await listKeys(database, 'lister')).map(({ id }) => id)).toEqual(ids)
})

test('of many keys inserted at once, a customer gets as many as it may have', async () => {
  await addCustomer(database, 'greedy')
  const keys = Array.from({ length: 12 }, () => newKey({ customerId: 'greedy' }))
  const outcomes = (await Promise.all(keys.map((key) => insert(key, 5)))).map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(5)
  expect(outcomes.filter((outcome) => outcome === 'too_many')).toHaveLength(7)
  expect(await listKeys(database, 'greedy')).toHaveLength(5)
})

test('revoked and expired keys do not count, nor does the key itself when it is inserted again', async () => {
  await addCustomer(database, 'tidy')
  const keys = [1, 2].map(() => newKey({ customerId: 'tidy' }))
  const [first, second] = keys as [NewKey, NewKey]
  expect(await insert(first, 1)).toMatchObject({ outcome: 'inserted' })
  expect(await insert(first, 1)).toMatchObject({ outcome: 'inserted' })
  expect(await insert(second, 1)).toEqual({ outcome: 'too_many' })
  await revokeKeyOnce(database, { customerId: 'tidy', id: first.id, by: operator })
  expect(await insert(second, 1)).toMatchObject({ outcome: 'inserted' })
  await database.run({
    text: `update api_keys set expires_at = clock_timestamp() where id = $1`,
    values: [second.id],
  })
  expect(await insert(newKey({ customerId: 'tidy' }), 1)).toMatchObject({ outcome: 'inserted' })
})

test('a list has all live keys and the newest thousand of the others', async () => {
  await addCustomer(database, 'turnover')
  await database.run({
    text: `
insert into api_keys (id, customer_id, scopes, secret_hash, created_at, revoked_at)
select 'turnover_' || n, 'turnover', array['runs:read'], decode(repeat('00', 32), 'hex'),
  '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', case when n > 10 then now() end
from generate_series(1, 1500) n`,
  })
  const numbers = (await listKeys(database, 'turnover')).map(({ id }) => Number(id.slice('turnover_'.length)))
  const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)
  expect(numbers).toEqual([...range(1_500, 501), ...range(10, 1)])
})
