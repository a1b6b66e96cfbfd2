import type { CreateKey, Scope } from '@runwright/contract'
import { scopes } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCustomer, addKey, countKeys, keyPepper, setExpiry, type TestKey } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { listKeys } from '../store/keys/keys.ts'
import type { Granter } from './granter.ts'
import { issueKey } from './issue-key.ts'
import { secretHash } from './key-secret.ts'
import { revokeKey } from './revoke-key.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await addCustomer(fresh.database, 'acme')
})
afterAll(() => fresh.drop())

const issue = (request: CreateKey, own: readonly Scope[] = scopes) =>
  issueKey({ database: fresh.database, keyPepper }, { customerId: 'acme', scopes: new Set(own) }, request)

test('a key has a new id and 32 random bytes as its secret', async () => {
  const { key, secret } = await issue({ name: 'deploy' })
  expect(key).toMatchObject({ name: 'deploy', expiresAt: null, revokedAt: null, lastUsedAt: null })
  expect(key.id).toMatch(/^key_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(await listKeys(fresh.database, 'acme')).toContainEqual(key)
})

test('the secret is stored nowhere', async () => {
  const { key, secret } = await issue({})
  const [row] = await fresh.database.run<{ stored: string }>({
    text: 'select row_to_json(k)::text as stored from api_keys k where id = $1',
    values: [key.id],
  })
  expect(row?.stored).not.toContain(secret)
  expect(row?.stored).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
})

describe('scopes', () => {
  test('default to those of the caller without keys:admin and runs:admin', async () => {
    const own = ['usage:read', 'keys:admin', 'runs:admin', 'runs:read'] as const
    expect((await issue({}, own)).key.scopes).toEqual(['runs:read', 'usage:read'])
  })

  test('include keys:admin if it is requested', async () => {
    expect((await issue({ scopes: ['keys:admin'] }, ['keys:admin'])).key.scopes).toEqual(['keys:admin'])
  })

  test('that others include are granted only if the request names them', async () => {
    const own = ['runs:write', 'runs:signal', 'keys:admin'] as const
    expect((await issue({}, own)).key.scopes).toEqual(['runs:write'])
    expect((await issue({ scopes: ['runs:signal'] }, own)).key.scopes).toEqual(['runs:signal'])
    expect((await issue({}, ['runs:signal'])).key.scopes).toEqual(['runs:signal'])
  })

  test.each([
    ['an empty list', { scopes: [] }, scopes],
    ['a default that leaves none', {}, ['keys:admin'] as const],
  ])('must not be empty: %s', async (_, request, own) => {
    await expect(issue(request, own)).rejects.toMatchObject({
      reason: 'KEY_PAYLOAD_INVALID',
      message: expect.stringContaining('scopes'),
    })
  })

  test('that the caller does not have are denied by name before anything is written', async () => {
    const before = await countKeys(fresh.database)
    const denied = issue({ scopes: ['runs:read', 'memory:read'] }, ['runs:read', 'keys:admin'])
    await expect(denied).rejects.toMatchObject({
      reason: 'SCOPE_DENIED',
      message: expect.stringMatching(/does not have: memory:read\b/),
    })
    expect(await countKeys(fresh.database)).toBe(before)
  })

  test('that the caller does not have are denied even if the expiry is invalid', async () => {
    const denied = issue({ scopes: ['runs:write'], expires_at: '2001-01-01T00:00:00Z' }, ['keys:admin'])
    await expect(denied).rejects.toMatchObject({ reason: 'SCOPE_DENIED' })
  })
})

describe('an expiry', () => {
  test('is kept to the millisecond, whatever its offset', async () => {
    const { key } = await issue({ expires_at: '2099-12-31T23:59:59.123456+02:00' })
    expect(key.expiresAt?.toISOString()).toBe('2099-12-31T21:59:59.123Z')
  })

  test.each(['2001-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-10:00'])(
    '%s is refused and nothing is written',
    async (expires_at) => {
      const before = await countKeys(fresh.database)
      await expect(issue({ expires_at })).rejects.toMatchObject({
        reason: 'KEY_PAYLOAD_INVALID',
        message: expect.stringContaining('expires_at'),
      })
      expect(await countKeys(fresh.database)).toBe(before)
    },
  )
})

describe('a key that expires', () => {
  const end = new Date('2090-01-01T00:00:00.123Z')
  let admin: TestKey
  beforeAll(async () => {
    admin = await addKey(fresh.database, { name: 'admin' })
    await fresh.database.run({ text: 'update api_keys set expires_at = $2 where id = $1', values: [admin.id, end] })
  })
  const issueAs = (request: CreateKey, changes: Partial<Granter> = {}) =>
    issueKey(
      { database: fresh.database, keyPepper },
      { customerId: 'acme', scopes: new Set(scopes), keyId: admin.id, ...changes },
      request,
    )

  test('creates keys that end with it by default', async () => {
    expect((await issueAs({})).key.expiresAt).toEqual(end)
  })

  test('creates keys that end with it or before', async () => {
    for (const expires_at of [end.toISOString(), '2089-12-31T00:00:00Z']) {
      expect((await issueAs({ expires_at })).key.expiresAt).toEqual(new Date(expires_at))
    }
  })

  test.each(['2090-01-01T00:00:00.124Z', '9999-01-01T00:00:00Z'])('cannot create one until %s', async (expires_at) => {
    const before = await countKeys(fresh.database)
    await expect(issueAs({ expires_at })).rejects.toMatchObject({
      reason: 'SCOPE_DENIED',
      message: expect.stringContaining(end.toISOString()),
    })
    expect(await countKeys(fresh.database)).toBe(before)
  })

  test('creates none with an old secret that lasts beyond its overlap', async () => {
    const oldUntil = new Date(Date.now() + 60_000)
    await fresh.database.run({
      text: 'update api_keys set old_hashes = array[secret_hash], old_until = array[$2::timestamptz] where id = $1',
      values: [admin.id, oldUntil],
    })
    const old = { hasOldSecret: true, secretHash: secretHash(keyPepper)(admin.id, admin.secret) }
    expect((await issueAs({}, old)).key.expiresAt).toEqual(oldUntil)
    const longer = issueAs({ expires_at: '2080-01-01T00:00:00Z' }, old)
    await expect(longer).rejects.toMatchObject({ reason: 'SCOPE_DENIED' })
    expect((await issueAs({})).key.expiresAt).toEqual(end)
  })

  test('creates none once it has expired or was revoked, even while a cache still accepts it', async () => {
    const ended = await addKey(fresh.database, { name: 'ended' })
    await setExpiry(fresh.database, ended.id, -1)
    await expect(issueAs({}, { keyId: ended.id })).rejects.toMatchObject({ reason: 'API_KEY_EXPIRED' })
    const revoked = await addKey(fresh.database, { name: 'revoked' })
    await revokeKey({ database: fresh.database }, { customerId: 'acme' }, revoked.id)
    await expect(issueAs({}, { keyId: revoked.id })).rejects.toMatchObject({ reason: 'API_KEY_REVOKED' })
  })
})
