import { beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { SettingsError } from '../runtime/settings-error.ts'
import { checkSecretFingerprints } from './secret-fingerprints.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
  return () => fresh.drop()
})

const own = { encryption_key: 'e1', key_pepper: 'p1' }
const check = (fingerprints = own, database = fresh.database) => checkSecretFingerprints(database, fingerprints)

test('a start with the secrets of the first one goes on', async () => {
  await check()
  await expect(check()).resolves.toBeUndefined()
})

test.each([
  ['RUNWRIGHT_ENCRYPTION_KEY differs from the one', { ...own, encryption_key: 'e2' }],
  ['RUNWRIGHT_KEY_PEPPER differs from the one', { ...own, key_pepper: 'p2' }],
  ['RUNWRIGHT_ENCRYPTION_KEY and RUNWRIGHT_KEY_PEPPER differ from those', { encryption_key: 'e2', key_pepper: 'p2' }],
])('a start with others stops: %s this database was set up with', async (beginning, others) => {
  await check()
  const refused = check(others)
  await expect(refused).rejects.toThrow(SettingsError)
  await expect(refused).rejects.toThrow(new RegExp(`^${beginning} this database was set up with[^.]*\\.$`))
  await expect(check()).resolves.toBeUndefined()
})

test('of two first starts at once with different secrets, one stops', async () => {
  const results = await Promise.allSettled([
    check(own, fresh.open(1)),
    check({ encryption_key: 'e2', key_pepper: 'p2' }, fresh.open(1)),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
