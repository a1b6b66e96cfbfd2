import { beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { checkPepper } from './pepper-fingerprint.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
  return () => fresh.drop()
})

test('a start with the pepper of the first start succeeds', async () => {
  await checkPepper(fresh.database, 'p1')
  await expect(checkPepper(fresh.database, 'p1')).resolves.toBeUndefined()
})

test('a start with another pepper fails with a message', async () => {
  await checkPepper(fresh.database, 'p1')
  const refused = checkPepper(fresh.database, 'p2')
  await expect(refused).rejects.toThrow(SettingsError)
  await expect(refused).rejects.toThrow(
    /^RUNWRIGHT_KEY_PEPPER differs from the one this database was set up with\. Hosts that share a database must share the pepper/,
  )
  await expect(checkPepper(fresh.database, 'p1')).resolves.toBeUndefined()
})

test('of two first starts at once with different peppers, one stops', async () => {
  const results = await Promise.allSettled(['p1', 'p2'].map((pepper) => checkPepper(fresh.open(1), pepper)))
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
