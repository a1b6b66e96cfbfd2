// authenticator.test.ts tests how both secrets work.
import { type Scope, scopes } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addKey, keyPepper, setExpiry, type TestKey } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import type { Database } from '../store/postgres/database.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

let fresh: FreshDatabase
let database: Database
let key: TestKey

beforeAll(async () => {
  fresh = await freshDatabase()
  database = fresh.database
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  key = await addKey(database, { name: 'deploy' })
})

interface Wish {
  readonly keyId?: string
  readonly customerId?: string
  readonly own?: readonly Scope[]
  readonly overlapSeconds?: number
}

const rotate = ({ keyId = key.id, customerId = 'acme', own = scopes, overlapSeconds }: Wish = {}) =>
  rotateKey({ database, keyPepper }, { customerId, scopes: new Set(own) }, { keyId, overlapSeconds })

async function previousOf(keyId: string) {
  const [row] = await database.run<{ hash: Buffer | null; seconds: number | null }>({
    text: `select previous_hash as hash, extract(epoch from previous_valid_until - clock_timestamp())::float8 as seconds
           from api_keys where id = $1`,
    values: [keyId],
  })
  return row
}

test('a rotated key is the same key with another secret', async () => {
  const { key: rotated, secret } = await rotate()
  expect(rotated).toEqual(key.key)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(secret).not.toBe(key.secret)
})

test('the old secret stays valid for an hour by default', async () => {
  await rotate()
  const seconds = (await previousOf(key.id))?.seconds ?? 0
  expect(seconds).toBeGreaterThan(3_590)
  expect(seconds).toBeLessThanOrEqual(3_600)
})

test('without an overlap nothing of the old secret is kept, nor of the one before', async () => {
  await rotate({ overlapSeconds: 60 })
  await rotate({ overlapSeconds: 0 })
  expect(await previousOf(key.id)).toEqual({ hash: null, seconds: null })
})

describe('is refused', () => {
  const notFound = { reason: 'KEY_NOT_FOUND' }

  test('in the same way for ids of others, unknown ids and malformed ids', async () => {
    const foreign = await addKey(database, { customerId: 'other' })
    const refusals = await Promise.all(
      [foreign.id, 'key_unknown', 'no\0id', ''].map((keyId) => rotate({ keyId }).catch((error) => error)),
    )
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
    expect(refusals[0]).toMatchObject(notFound)
    expect((await previousOf(foreign.id))?.hash).toBeNull()
  })

  test('for a revoked key', async () => {
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    await expect(rotate()).rejects.toMatchObject(notFound)
  })

  test('for an expired key', async () => {
    await setExpiry(database, key.id, -1)
    await expect(rotate()).rejects.toMatchObject(notFound)
  })

  test('for a key with more scopes than the caller', async () => {
    await expect(rotate({ own: ['keys:admin', 'runs:read'] })).rejects.toMatchObject({
      reason: 'SCOPE_DENIED',
      message: expect.stringContaining('runs:write'),
    })
    expect((await previousOf(key.id))?.hash).toBeNull()
  })

  test('for a key that is valid longer than the caller, whatever its scopes', async () => {
    const caller = await addKey(database, { name: 'short-lived' })
    await setExpiry(database, caller.id, 3_600_000)
    const asCaller = { customerId: 'acme', scopes: new Set(scopes), keyId: caller.id }
    const rotateAs = (keyId: string, changes = {}) =>
      rotateKey({ database, keyPepper }, { ...asCaller, ...changes }, { keyId, overlapSeconds: 60 })
    const denied = { reason: 'SCOPE_DENIED' }
    await expect(rotateAs(key.id)).rejects.toMatchObject(denied)
    await setExpiry(database, key.id, 7_200_000)
    await expect(rotateAs(key.id)).rejects.toMatchObject(denied)
    await setExpiry(database, key.id, 1_800_000)
    expect((await rotateAs(key.id)).key.id).toBe(key.id)
    expect((await rotateAs(caller.id)).key.id).toBe(caller.id)
    await expect(rotateAs(caller.id, { hasOldSecret: true })).rejects.toMatchObject(denied)
  })
})
