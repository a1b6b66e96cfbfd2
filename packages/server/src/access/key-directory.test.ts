// What authentication keeps in memory, for how long, and what it asks the database.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addKey, bearer, HandClock, keyPepper, type TestKey, WatchedDatabase } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { DatabaseUnavailableError } from '../store/postgres/errors.ts'
import { Authenticator, type AuthenticatorOptions } from './authenticator.ts'
import { revokeKey } from './revoke-key.ts'

let fresh: FreshDatabase
let database: WatchedDatabase
let clock: HandClock
let authenticator: Authenticator
let key: TestKey

const newAuthenticator = (options: Partial<AuthenticatorOptions> = {}) =>
  new Authenticator({
    database,
    keyPepper,
    now: clock.now,
    pauseMs: 0,
    retryBudget: { ms: 0, ambiguousMs: 0 },
    ...options,
  })

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  database = new WatchedDatabase(fresh.connection)
  clock = new HandClock()
  authenticator = newAuthenticator()
  key = await addKey(database)
  database.executed.length = 0
  return () => database.close()
})

const enter = (authorization = key.authorization) => authenticator.authenticate(authorization)
const repeat = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))
const invalid = { reason: 'API_KEY_INVALID' }
const revoked = { reason: 'API_KEY_REVOKED' }

/** Until so many statements have been executed. */
const executed = async (count: number) => {
  await database.untilExecuted(count)
  expect(database.executed).toHaveLength(count)
}

describe('how often the database is asked', () => {
  test('fifty first requests at once share one statement', async () => {
    const principals = await repeat(50, () => enter())
    expect(new Set(principals).size).toBe(1)
    expect(database.executed).toHaveLength(1)
  })

  test('a request that comes while the answer is under way waits for that answer', async () => {
    const answer = database.holdAnswers()
    const first = enter()
    await executed(1)
    const second = enter()
    answer()
    await Promise.all([first, second])
    expect(database.executed).toHaveLength(1)
  })

  test('first requests with different keys share one statement too', async () => {
    const keys = await repeat(20, () => addKey(database))
    database.executed.length = 0
    await Promise.all(keys.map(({ authorization }) => enter(authorization)))
    expect(database.executed).toHaveLength(1)
  })

  test('a key is asked for again after three seconds and not before', async () => {
    await enter()
    clock.ms += 3_000
    await enter()
    expect(database.executed).toHaveLength(1)
    clock.ms += 1
    await enter()
    expect(database.executed).toHaveLength(2)
  })

  test('a hundred refusals in one moment cost one statement more, for wrong secrets and for unknown ids', async () => {
    for (const authorization of [bearer(key.id, 'wrong'), bearer('key_unknown', 'x')]) {
      await expect(enter(authorization)).rejects.toMatchObject(invalid)
      clock.ms += 1
      database.executed.length = 0
      await repeat(100, () => expect(enter(authorization)).rejects.toMatchObject(invalid))
      expect(database.executed).toHaveLength(1)
    }
  })

  test('however many made-up ids come, two statements are under way at most', async () => {
    const answer = database.holdAnswers()
    const refused = repeat(50, (n) => expect(enter(bearer(`key_a${n}`, 'x'))).rejects.toMatchObject(invalid))
    await executed(1)
    const more = repeat(50, (n) => expect(enter(bearer(`key_b${n}`, 'x'))).rejects.toMatchObject(invalid))
    await executed(2)
    const evenMore = repeat(50, (n) => expect(enter(bearer(`key_c${n}`, 'x'))).rejects.toMatchObject(invalid))
    await new Promise((resolve) => setImmediate(resolve))
    expect(database.executed).toHaveLength(2)
    answer()
    await Promise.all([refused, more, evenMore])
    expect(database.executed).toHaveLength(3)
  })
})

describe('what memory holds', () => {
  test('is bounded, and made-up ids do not push out keys', async () => {
    authenticator = newAuthenticator({ maxEntries: 10 })
    await enter()
    await repeat(200, (n) => expect(enter(bearer(`key_${n}`, 'x'))).rejects.toMatchObject(invalid))
    expect(authenticator.size).toBe(11)
    database.executed.length = 0
    await enter()
    expect(database.executed).toHaveLength(0)
  })

  test('keys beyond the bound are let in all the same', async () => {
    authenticator = newAuthenticator({ maxEntries: 2 })
    const keys = await repeat(6, () => addKey(database))
    for (const { authorization } of keys) await enter(authorization)
    expect(authenticator.size).toBe(2)
  })
})

describe('a revocation', () => {
  test('in this process is in force at once', async () => {
    await enter()
    await revokeKey({ database }, 'acme', key.id)
    authenticator.forget(key.id)
    await expect(enter()).rejects.toMatchObject(revoked)
  })

  test('on another node is in force within three seconds', async () => {
    await enter()
    await revokeKey({ database }, 'acme', key.id)
    await enter()
    clock.ms += 3_001
    await expect(enter()).rejects.toMatchObject(revoked)
  })

  test('is not undone by an answer that was under way before it', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    const revocation = revokeKey({ database }, 'acme', key.id)
    await executed(2)
    authenticator.forget(key.id)
    answer()
    await Promise.all([before, revocation])
    await expect(enter()).rejects.toMatchObject(revoked)
  })

  test('is not missed by a request that finds such an answer under way', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    const revocation = revokeKey({ database }, 'acme', key.id)
    await executed(2)
    authenticator.forget(key.id)
    const after = expect(enter()).rejects.toMatchObject(revoked)
    answer()
    await Promise.all([before, revocation, after])
  })

  test('is not missed because the database is slow: nobody waits for an answer that is too old', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    const revocation = revokeKey({ database }, 'acme', key.id)
    await executed(2)
    clock.ms += 3_001
    const after = expect(enter()).rejects.toMatchObject(revoked)
    answer()
    await Promise.all([before, revocation, after])
  })

  test('is not missed because an answer came late: its age counts from the question', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    clock.ms += 2_000
    answer()
    await before
    await revokeKey({ database }, 'acme', key.id)
    clock.ms += 1_001
    await expect(enter()).rejects.toMatchObject(revoked)
  })
})

describe('while the database is away', () => {
  test('keys in memory are let in up to their age, then nobody is', async () => {
    await enter()
    database.isDown = true
    clock.ms += 3_000
    await enter()
    clock.ms += 1
    await expect(enter()).rejects.toThrow(DatabaseUnavailableError)
  })

  test('a secret that does not match memory is not refused on the word of memory', async () => {
    await enter()
    database.isDown = true
    clock.ms += 1
    await expect(enter(bearer(key.id, 'maybe-new'))).rejects.toThrow(DatabaseUnavailableError)
  })

  test('the failure is not remembered', async () => {
    database.isDown = true
    await expect(enter()).rejects.toThrow(DatabaseUnavailableError)
    database.isDown = false
    expect(await enter()).toMatchObject({ keyId: key.id })
  })
})
