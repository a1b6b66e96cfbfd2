// authenticator.test.ts tests how both secrets work.
import { type Scope, scopes } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addKey, endOverlap, keyPepper, setExpiry, type TestKey } from '../../test/support/access.ts'
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

/** The seconds that each old secret is still valid, the newest first. */
async function oldOf(keyId: string): Promise<number[]> {
  const rows = await database.run<{ seconds: number }>({
    text: `
select extract(epoch from until - clock_timestamp())::float8 as seconds
from api_keys
cross join unnest(old_until) with ordinality as old(until, n)
where id = $1
order by n`,
    values: [keyId],
  })
  return rows.map(({ seconds }) => Math.round(seconds))
}

test('a rotated key is the same key with another secret', async () => {
  const { key: rotated, secret } = await rotate()
  expect(rotated).toEqual({ ...key.key, updatedAt: rotated.updatedAt })
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(secret).not.toBe(key.secret)
})

test('the old secret stays valid for an hour by default', async () => {
  await rotate()
  const [seconds = 0] = await oldOf(key.id)
  expect(seconds).toBeGreaterThan(3_590)
  expect(seconds).toBeLessThanOrEqual(3_600)
})

test('without an overlap nothing of the old secret is kept, nor of the one before', async () => {
  await rotate({ overlapSeconds: 60 })
  await rotate({ overlapSeconds: 0 })
  expect(await oldOf(key.id)).toEqual([])
})

test('another rotation leaves old secrets their time, and drops those whose time is over', async () => {
  await rotate({ overlapSeconds: 1_000 })
  await rotate({ overlapSeconds: 10 })
  await rotate({ overlapSeconds: 3_000 })
  const seconds = await oldOf(key.id)
  expect(seconds.map((one) => Math.ceil(one / 20) * 20)).toEqual([3_000, 20, 1_000])
  await endOverlap(database, key.id)
  await rotate({ overlapSeconds: 60 })
  expect(await oldOf(key.id)).toHaveLength(1)
})

test('a key has five old secrets at most; a rotation without an overlap ends them', async () => {
  for (let count = 0; count < 5; count += 1) await rotate({ overlapSeconds: 60 })
  await expect(rotate({ overlapSeconds: 60 })).rejects.toMatchObject({
    reason: 'LIMIT_REACHED',
    message: expect.stringMatching(/at most 5 old secrets .* after 20\d\d-/),
  })
  await rotate({ overlapSeconds: 0 })
  expect(await oldOf(key.id)).toEqual([])
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
    expect(await oldOf(foreign.id)).toEqual([])
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
    expect(await oldOf(key.id)).toEqual([])
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
