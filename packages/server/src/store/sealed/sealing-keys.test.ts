import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { SealingKeys } from './sealing-keys.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
  return () => fresh.drop()
})

const [old, next, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const owner = { runId: 'run-1', customerId: 'acme' }

/** A host with this key, and these as its previous ones. */
async function host(encryptionKey: Buffer, ...previousEncryptionKeys: Buffer[]): Promise<SealingKeys> {
  const keys = new SealingKeys(fresh.database, { encryptionKey, previousEncryptionKeys })
  await keys.open()
  return keys
}

const count = async (table: string) => {
  const [row] = await fresh.database.query<{ count: number }>({ text: `select count(*) from ${table}` })
  return row?.count
}

test('hosts with the same key open values of the others, and have the same hashes', async () => {
  const [one, two] = [await host(old), await host(old)]
  expect(two.keyring.open(one.keyring.seal({ a: 1 }, owner), owner)).toEqual({ a: 1 })
  expect(one.hashBody('x')).toEqual(two.hashBody('x'))
  expect(one.hashBody('x')).not.toEqual(one.hashBody('y'))
})

test('a host with another key is refused, and changes nothing', async () => {
  await host(old)
  const refused = host(next)
  await expect(refused).rejects.toThrow(SettingsError)
  await expect(refused).rejects.toThrow(
    /^RUNWRIGHT_ENCRYPTION_KEY differs from the one this database was set up with\..*set the old one as RUNWRIGHT_ENCRYPTION_KEY_PREVIOUS\.$/,
  )
  expect([await count('data_keys'), await count('data_key_wraps')]).toEqual([2, 2])
})

test('of two first starts at once with different keys, one stops', async () => {
  const results = await Promise.allSettled([host(old), host(next)])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('many first starts at once with the same key create one data key', async () => {
  await Promise.all(Array.from({ length: 5 }, () => host(old)))
  expect([await count('data_keys'), await count('data_key_wraps')]).toEqual([2, 2])
})

describe('while the key is being changed', () => {
  test('a host with both keys creates a new data key, and older values still open', async () => {
    const before = await host(old)
    const sealed = before.keyring.seal('x', owner)
    const changed = await host(next, old)
    expect(changed.keyring.newest).toBeGreaterThan(sealed.keyId)
    expect(changed.keyring.open(sealed, owner)).toBe('x')
    expect(changed.hashBody('body')).toEqual(before.hashBody('body'))
  })

  test('a host with only the old key loads the new data key, and can restart', async () => {
    const behind = await host(old)
    const sealed = (await host(next, old)).keyring.seal('x', owner)
    expect(() => behind.keyring.open(sealed, owner)).toThrow()
    await behind.ensure([sealed.keyId])
    expect(behind.keyring.open(sealed, owner)).toBe('x')
    expect((await host(old)).keyring.open(sealed, owner)).toBe('x')
  })

  test('repeated starts create no further keys', async () => {
    await host(old)
    await host(next, old)
    const before = await count('data_keys')
    for (const start of [() => host(old), () => host(next, old), () => host(next)]) await start()
    expect(await count('data_keys')).toBe(before)
  })

  test('a host with the outdated key deletes nothing that the others need', async () => {
    const behind = await host(old)
    await host(next, old)
    expect(await behind.forgetOlder()).toBe(0)
    expect(await (await host(old)).forgetOlder()).toBe(0)
    await expect(host(next)).resolves.toBeDefined()
  })

  test('with a host that has both keys, the old key still opens everything', async () => {
    await host(old)
    expect(await (await host(next, old)).forgetOlder()).toBe(0)
    await expect(host(old)).resolves.toBeDefined()
  })
})

describe('once the previous key is removed', () => {
  test('it opens nothing any more, and everything else works', async () => {
    const sealed = (await host(old)).keyring.seal('x', owner)
    const hash = (await host(next, old)).hashBody('body')
    const after = await host(next)
    expect(await after.forgetOlder()).toBeGreaterThan(0)
    await expect(host(old)).rejects.toThrow(SettingsError)
    expect((await host(next)).keyring.open(sealed, owner)).toBe('x')
    expect((await host(next)).hashBody('body')).toEqual(hash)
  })

  test('the key can be changed again, also back to an earlier one', async () => {
    const sealed = (await host(old)).keyring.seal('x', owner)
    await host(next, old)
    await (await host(next)).forgetOlder()
    await host(third, next)
    await (await host(third)).forgetOlder()
    const back = await host(old, third)
    expect(back.keyring.open(sealed, owner)).toBe('x')
    expect(await (await host(old)).forgetOlder()).toBeGreaterThan(0)
    await expect(host(third)).rejects.toThrow(SettingsError)
  })
})
