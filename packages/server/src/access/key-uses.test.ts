import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addKey, bearer, HandClock, keyPepper, type TestKey, WatchedDatabase } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { listKeys } from '../store/keys/keys.ts'
import { DatabaseUnavailableError } from '../store/postgres/errors.ts'
import { Authenticator } from './authenticator.ts'

let fresh: FreshDatabase
let database: WatchedDatabase
let clock: HandClock
let authenticator: Authenticator
let key: TestKey

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  database = new WatchedDatabase(fresh.connection)
  clock = new HandClock()
  authenticator = new Authenticator({ database, keyPepper, now: clock.now, pauseMs: 0 })
  key = await addKey(database)
  return () => database.close()
})

const lastUsedAt = async (keyId = key.id) =>
  (await listKeys(database, 'acme')).find(({ id }) => id === keyId)?.lastUsedAt ?? null

test('uses of many keys are written in one statement, once', async () => {
  const other = await addKey(database)
  for (const { authorization } of [key, other, key]) await authenticator.authenticate(authorization)
  database.executed.length = 0
  expect(await authenticator.runOnce()).toEqual({ written: 2 })
  expect(await authenticator.runOnce()).toEqual({ written: 0 })
  expect(database.executed).toHaveLength(1)
  expect(await lastUsedAt(other.id)).toBeInstanceOf(Date)
})

test('the time is that of the use, not of the writing', async () => {
  const before = Date.now()
  await authenticator.authenticate(key.authorization)
  clock.ms += 60_000
  await authenticator.runOnce()
  const usedAt = (await lastUsedAt())?.getTime() ?? 0
  expect(usedAt).toBeGreaterThan(before - 61_000)
  expect(usedAt).toBeLessThan(before - 50_000)
})

test('a later use stored by another process is not overwritten', async () => {
  await authenticator.authenticate(key.authorization)
  await authenticator.runOnce()
  const latest = await lastUsedAt()
  await authenticator.authenticate(key.authorization)
  clock.ms += 60_000
  await authenticator.runOnce()
  expect(await lastUsedAt()).toEqual(latest)
})

test('a refused request does not count as a use', async () => {
  await expect(authenticator.authenticate(bearer(key.id, 'wrong'))).rejects.toThrow()
  expect(await authenticator.runOnce()).toEqual({ written: 0 })
  expect(await lastUsedAt()).toBeNull()
})

test('a call also waits for the uses that are being written', async () => {
  await authenticator.authenticate(key.authorization)
  const ended: string[] = []
  const answer = database.holdAnswers()
  const first = authenticator.runOnce().then(() => ended.push('first'))
  const second = authenticator.runOnce().then(() => ended.push('second'))
  answer()
  await Promise.all([first, second])
  expect(ended).toEqual(['first', 'second'])
})

test('uses that could not be written are written later', async () => {
  await authenticator.authenticate(key.authorization)
  database.isDown = true
  await expect(authenticator.runOnce()).rejects.toThrow(DatabaseUnavailableError)
  database.isDown = false
  expect(await authenticator.runOnce()).toEqual({ written: 1 })
})
