import { scopes as allScopes } from '@runwright/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { bearer, countKeys, keyPepper } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import type { BootstrapKey } from '../runtime/settings/bootstrap-keys.ts'
import type { Database } from '../store/postgres/database.ts'
import { Authenticator } from './authenticator.ts'
import { bootstrapKeys } from './bootstrap.ts'
import { revokeKey } from './revoke-key.ts'

let fresh: FreshDatabase
let warnings: unknown[][]

beforeEach(async () => {
  fresh = await freshDatabase()
  warnings = []
  return () => fresh.drop()
})

const logger = { warn: (...line: unknown[]) => void warnings.push(line) }
const start = (keys: readonly BootstrapKey[] = [], database: Database = fresh.database) =>
  bootstrapKeys({ database, keyPepper, keys, logger })
const authenticate = (authorization: string) =>
  new Authenticator({ database: fresh.database, keyPepper }).authenticate(authorization)
const named = ['runs:admin', 'webhooks:admin', 'audit:read', 'tokens:create', 'links:create']
const scopes = allScopes.filter((scope) => !named.includes(scope))
const many = [1, 2, 3, 4, 5, 6, 7, 8]

const first = { customerId: 'acme', keyId: 'key_ci', secret: 'with:colon' }
const second = { customerId: 'globex', keyId: 'key_dev', secret: 's2' }

describe('without keys in the settings', () => {
  test('the first start creates one for customer default with all scopes but those that must be named', async () => {
    const made = await start()
    expect(made).toMatch(/^key_[0-9a-z]{26}:[\w-]{43}$/)
    expect(await authenticate(`Bearer ${made}`)).toMatchObject({ customerId: 'default', scopes: new Set(scopes) })
  })

  test('the first key of an embedded database can have webhooks, too', async () => {
    const options = { database: fresh.database, keyPepper, keys: [], logger, moreScopes: ['webhooks:admin'] as const }
    const made = await bootstrapKeys(options)
    expect(await authenticate(`Bearer ${made}`)).toMatchObject({ scopes: new Set([...scopes, 'webhooks:admin']) })
  })

  test('a later start creates none, even if every key is revoked', async () => {
    const [keyId = ''] = (await start())?.split(':') ?? []
    await revokeKey({ database: fresh.database }, { customerId: 'default' }, keyId)
    expect(await start()).toBeUndefined()
    expect(await countKeys(fresh.database)).toBe(1)
  })

  test('of many processes that start at once, one creates the key', async () => {
    const results = await Promise.all(many.map(() => start([], fresh.open(1))))
    expect(results.filter((result) => result !== undefined)).toHaveLength(1)
    expect(await countKeys(fresh.database)).toBe(1)
  })
})

describe('with keys in the settings', () => {
  test('missing keys, and no others, are created with all scopes but those that must be named', async () => {
    expect(await start([first, second])).toBeUndefined()
    expect(await authenticate(bearer('key_ci', 'with:colon'))).toMatchObject({
      customerId: 'acme',
      scopes: new Set(scopes),
    })
    expect(await authenticate(bearer('key_dev', 's2'))).toMatchObject({ customerId: 'globex' })
    expect(await countKeys(fresh.database)).toBe(2)
  })

  test('a second start changes nothing and logs nothing', async () => {
    await start([first])
    await start([first, second])
    expect(await countKeys(fresh.database)).toBe(2)
    expect(warnings).toEqual([])
  })

  test('many processes that start at once create each key once', async () => {
    await Promise.all(many.map((n) => start(n % 2 ? [first, second] : [second, first], fresh.open(1))))
    expect(await countKeys(fresh.database)).toBe(2)
    expect(warnings).toEqual([])
  })

  test('one that exists with another secret is not changed, with a warning that contains only its id', async () => {
    await start([first])
    await start([{ ...first, secret: 'changed' }])
    expect(await authenticate(bearer('key_ci', 'with:colon'))).toMatchObject({ customerId: 'acme' })
    await expect(authenticate(bearer('key_ci', 'changed'))).rejects.toMatchObject({ reason: 'API_KEY_INVALID' })
    expect(warnings).toEqual([
      [{ key_id: 'key_ci' }, 'a bootstrap key already exists with a different secret; it was not changed'],
    ])
  })

  test('one that exists for another customer is not changed, with a warning', async () => {
    await start([first])
    await start([{ ...first, customerId: 'globex' }])
    expect(await authenticate(bearer('key_ci', 'with:colon'))).toMatchObject({ customerId: 'acme' })
    expect(warnings).toEqual([
      [{ key_id: 'key_ci' }, 'a bootstrap key already exists and belongs to another customer; it was not changed'],
    ])
  })

  test('one that is revoked stays revoked, with a warning', async () => {
    await start([first])
    await revokeKey({ database: fresh.database }, { customerId: 'acme' }, 'key_ci')
    await start([first])
    await expect(authenticate(bearer('key_ci', 'with:colon'))).rejects.toMatchObject({ reason: 'API_KEY_REVOKED' })
    expect(warnings).toEqual([
      [{ key_id: 'key_ci' }, 'a bootstrap key already exists and is revoked; it was not changed'],
    ])
  })
})
