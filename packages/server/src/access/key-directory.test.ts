// What authentication caches, for how long, and which statements it sends.
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

/** Resolves when this many statements have been executed. */
const executed = async (count: number) => {
  await database.untilExecuted(count)
  expect(database.executed).toHaveLength(count)
}

describe('the number of statements', () => {
  test('fifty first requests at once share one statement', async () => {
    const principals = await repeat(50, () => enter())
    expect(new Set(principals).size).toBe(1)
    expect(database.executed).toHaveLength(1)
  })

  test('a request during a read waits for that read', async () => {
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

  test('a key is read again after three seconds and not before', async () => {
    await enter()
    clock.ms += 3_000
    await enter()
    expect(database.executed).toHaveLength(1)
    clock.ms += 1
    await enter()
    expect(database.executed).toHaveLength(2)
  })

  test('a hundred concurrent refusals cost one more statement, for wrong secrets and for unknown ids', async () => {
    for (const authorization of [bearer(key.id, 'wrong'), bearer('key_unknown', 'x')]) {
      await expect(enter(authorization)).rejects.toMatchObject(invalid)
      clock.ms += 1
      database.executed.length = 0
      await repeat(100, () => expect(enter(authorization)).rejects.toMatchObject(invalid))
      expect(database.executed).toHaveLength(1)
    }
  })

  test('with any number of unknown ids, at most two statements are in flight before the paced ones', async () => {
    let endPause: () => void = () => undefined
    const pause = new Promise<void>((resolve) => {
      endPause = resolve
    })
    authenticator = newAuthenticator({ pause: () => pause })
    const answer = database.holdAnswers()
    const refused = repeat(50, (n) => expect(enter(bearer(`key_a${n}`, 'x'))).rejects.toMatchObject(invalid))
    await executed(1)
    const more = repeat(50, (n) => expect(enter(bearer(`key_b${n}`, 'x'))).rejects.toMatchObject(invalid))
    await executed(2)
    const evenMore = repeat(50, (n) => expect(enter(bearer(`key_c${n}`, 'x'))).rejects.toMatchObject(invalid))
    await new Promise((resolve) => setImmediate(resolve))
    expect(database.executed).toHaveLength(2)
    answer()
    await executed(3)
    endPause()
    await Promise.all([refused, more, evenMore])
    // The paced read that the first callers joined, and the one for all others.
    expect(database.executed).toHaveLength(5)
  })
})

describe('the cache', () => {
  test('is bounded, and unknown ids do not evict keys', async () => {
    authenticator = newAuthenticator({ maxEntries: 10 })
    await enter()
    await repeat(200, (n) => expect(enter(bearer(`key_${n}`, 'x'))).rejects.toMatchObject(invalid))
    expect(authenticator.size).toBe(11)
    database.executed.length = 0
    await enter()
    expect(database.executed).toHaveLength(0)
  })

  test('keys beyond the bound are still accepted', async () => {
    authenticator = newAuthenticator({ maxEntries: 2 })
    const keys = await repeat(6, () => addKey(database))
    for (const { authorization } of keys) await enter(authorization)
    expect(authenticator.size).toBe(2)
  })
})

describe('a revocation', () => {
  test('in this process takes effect at once', async () => {
    await enter()
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    authenticator.forget(key.id)
    await expect(enter()).rejects.toMatchObject(revoked)
  })

  test('in another process takes effect within three seconds', async () => {
    await enter()
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    await enter()
    clock.ms += 3_001
    await expect(enter()).rejects.toMatchObject(revoked)
  })

  test('is not undone by a read that started before it', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    authenticator.forget(key.id)
    answer()
    await before
    await expect(enter()).rejects.toMatchObject(revoked)
  })

  test('is not missed by a request that finds such a read in flight', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    authenticator.forget(key.id)
    const after = expect(enter()).rejects.toMatchObject(revoked)
    answer()
    await Promise.all([before, after])
  })

  test('is not missed because the database is slow: no request waits for a read that is too old', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    clock.ms += 3_001
    const after = expect(enter()).rejects.toMatchObject(revoked)
    answer()
    await Promise.all([before, after])
  })

  test('is not missed because a read was slow: its age counts from its start', async () => {
    const answer = database.holdAnswers()
    const before = enter()
    await executed(1)
    clock.ms += 2_000
    answer()
    await before
    await revokeKey({ database }, { customerId: 'acme' }, key.id)
    clock.ms += 1_001
    await expect(enter()).rejects.toMatchObject(revoked)
  })
})

describe('while the database is unreachable', () => {
  test('cached keys are accepted until they expire from the cache, then none is', async () => {
    await enter()
    database.isDown = true
    clock.ms += 3_000
    await enter()
    clock.ms += 1
    await expect(enter()).rejects.toThrow(DatabaseUnavailableError)
  })

  test('a secret that does not match the cache is not refused because of the cache', async () => {
    await enter()
    database.isDown = true
    clock.ms += 1
    await expect(enter(bearer(key.id, 'maybe-new'))).rejects.toThrow(DatabaseUnavailableError)
  })

  test('the failure is not cached', async () => {
    database.isDown = true
    await expect(enter()).rejects.toThrow(DatabaseUnavailableError)
    database.isDown = false
    expect(await enter()).toMatchObject({ keyId: key.id })
  })
})
