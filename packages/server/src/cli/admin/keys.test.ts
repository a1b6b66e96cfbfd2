import type { KeyWithSecret } from '@runwright/contract'
import { keyListSchema, keySchema } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { addCustomer, addKey, bearer, keyPepper } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Authenticator } from '../../access/authenticator.ts'
import { commandLine } from '../output/command-line.ts'
import { keysCommand } from './keys.ts'

let fresh: FreshDatabase
let out: string[]
let err: string[]

beforeAll(async () => {
  fresh = await freshDatabase()
  for (const id of ['default', 'acme']) await addCustomer(fresh.database, id)
})
afterAll(() => fresh.drop())
beforeEach(() => {
  out = []
  err = []
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(text))
  vi.spyOn(console, 'error').mockImplementation((text) => void err.push(text))
  return () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
})

async function keys(...argv: string[]): Promise<string> {
  await keysCommand((work) => work({ database: fresh.database, keyPepper })).parseAsync(argv, { from: 'user' })
  return out.join('\n')
}

const keysJson = async <T>(...argv: string[]): Promise<T> => JSON.parse(await keys(...argv, '--json'))
const authenticate = (authorization: string) =>
  new Authenticator({ database: fresh.database, keyPepper, pauseMs: 0 }).authenticate(authorization)

describe('create', () => {
  test('prints a working key alone on stdout, and that it is shown only once on stderr', async () => {
    const key = await keys('create', '--customer', 'acme', '--name', 'ci')
    expect(key).toMatch(/^key_\w+:[\w-]{43}$/)
    expect(await authenticate(`Bearer ${key}`)).toMatchObject({
      customerId: 'acme',
      scopes: new Set(['runs:read', 'runs:write', 'runs:signal', 'usage:read', 'memory:read']),
    })
    expect(err.join('\n')).toContain('Store the key now: it cannot be shown again.')
  })

  test('takes scopes and an expiry', async () => {
    const { key } = await keysJson<KeyWithSecret>(
      'create',
      '--scopes',
      'keys:admin, runs:read',
      '--expires-at',
      '2099-01-01T00:00:00Z',
    )
    expect(keySchema.parse(key)).toMatchObject({
      scopes: ['keys:admin', 'runs:read'],
      expires_at: '2099-01-01T00:00:00.000Z',
    })
  })

  test('reports a scope that does not exist', async () => {
    await expect(keys('create', '--scopes', 'runs:read,everything')).rejects.toThrow(/scopes\[1\]/)
  })

  test('for a customer that does not exist fails with one sentence', async () => {
    await keys('create', '--customer', 'nobody')
    expect(out).toEqual([])
    expect(err).toEqual([
      `The customer "nobody" does not exist. Run ${commandLine('customers list')} to see all customers.`,
    ])
    expect(process.exitCode).toBe(1)
  })
})

describe('list', () => {
  test('shows the keys of one customer as a table', async () => {
    const { id } = await addKey(fresh.database, { customerId: 'acme', name: 'listed' })
    const elsewhere = await addKey(fresh.database, { customerId: 'default' })
    const text = await keys('list', '--customer', 'acme')
    expect(text).toMatch(/^ID +NAME +SCOPES +CREATED +EXPIRES +REVOKED +LAST USED\n/)
    expect(text).toContain(id)
    expect(text).not.toContain(elsewhere.id)
  })

  test('shows them as JSON for machines', async () => {
    const { id } = await addKey(fresh.database, { customerId: 'acme' })
    const listed = await keysJson('list', '--customer', 'acme')
    expect(keyListSchema.shape.keys.parse((listed as { keys: unknown }).keys)[0]?.id).toBe(id)
  })

  test('of a customer that does not exist fails', async () => {
    await keys('list', '--customer', 'nobody')
    expect(process.exitCode).toBe(1)
  })
})

describe('rotate', () => {
  test('prints the key with its new secret, and how long the old one stays valid', async () => {
    const { id, authorization } = await addKey(fresh.database)
    const key = await keys('rotate', id, '--customer', 'acme', '--overlap-seconds', '60')
    expect(err.join('\n')).toContain('The old secret stays valid for 60 seconds.')
    expect(await authenticate(`Bearer ${key}`)).toMatchObject({ keyId: id })
    expect(await authenticate(authorization)).toMatchObject({ keyId: id })
  })

  test('without an overlap ends the old secret', async () => {
    const { id, authorization } = await addKey(fresh.database)
    const { secret } = await keysJson<KeyWithSecret>('rotate', id, '--customer', 'acme', '--overlap-seconds', '0')
    await expect(authenticate(authorization)).rejects.toMatchObject({ reason: 'API_KEY_INVALID' })
    expect(await authenticate(bearer(id, secret))).toMatchObject({ keyId: id })
  })

  test('finds a key only with its customer', async () => {
    const { id } = await addKey(fresh.database)
    await expect(keys('rotate', id)).rejects.toMatchObject({ reason: 'KEY_NOT_FOUND' })
  })
})

describe('revoke', () => {
  test('revokes a key', async () => {
    const { id, authorization } = await addKey(fresh.database)
    expect(await keys('revoke', id, '--customer', 'acme')).toContain('All processes refuse it within 5 seconds')
    await expect(authenticate(authorization)).rejects.toMatchObject({ reason: 'API_KEY_REVOKED' })
  })

  test('prints as JSON when the key was revoked', async () => {
    const { id } = await addKey(fresh.database)
    const { key } = await keysJson<{ key: unknown }>('revoke', id, '--customer', 'acme')
    expect(keySchema.parse(key).revoked_at).toEqual(expect.any(String))
  })

  test('of a key that does not exist fails', async () => {
    await expect(keys('revoke', 'key_unknown')).rejects.toMatchObject({ reason: 'KEY_NOT_FOUND' })
  })
})
