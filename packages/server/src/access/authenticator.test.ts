// Which callers are authenticated, and which errors the others get.

import { randomBytes } from 'node:crypto'
import { scopes } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  addKey,
  bearer,
  endOverlap,
  HandClock,
  keyPepper,
  setExpiry,
  type TestKey,
  WatchedDatabase,
} from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { actorOf } from '../domain/actor.ts'
import { ServiceError } from '../domain/service-error.ts'
import { setMoveState } from '../store/cells/move-state.ts'
import { resumeCustomer, suspendCustomer } from '../store/keys/customers.ts'
import { rotateLiveKey } from '../store/keys/keys.ts'
import { Authenticator } from './authenticator.ts'
import { secretHash } from './key-secret.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

let fresh: FreshDatabase
let database: WatchedDatabase
let clock: HandClock
let authenticator: Authenticator
let key: TestKey

beforeAll(async () => {
  fresh = await freshDatabase()
  database = new WatchedDatabase(fresh.connection)
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})
beforeEach(async () => {
  clock = new HandClock()
  authenticator = new Authenticator({ database, keyPepper, now: clock.now, pauseMs: 0 })
  key = await addKey(database)
  database.executed.length = 0
})

const operator = { customerId: 'acme', scopes: new Set(scopes) }
const rotate = (overlapSeconds: number) =>
  rotateKey({ database, keyPepper }, operator, { keyId: key.id, overlapSeconds })
const revoke = () => revokeKey({ database }, { customerId: 'acme' }, key.id)

async function refusalOf(authorization: string | undefined): Promise<Pick<ServiceError, 'reason' | 'message'>> {
  const error: unknown = await authenticator.authenticate(authorization).then(
    () => expect.unreachable('the key was accepted'),
    (thrown) => thrown,
  )
  if (!(error instanceof ServiceError)) throw error
  return { reason: error.reason, message: error.message }
}

const reasonFor = async (authorization: string | undefined) => (await refusalOf(authorization)).reason

test('the right secret returns its customer and scopes', async () => {
  const limited = await addKey(database, { customerId: 'other', scopes: ['runs:read', 'usage:read'] })
  expect(await authenticator.authenticate(limited.authorization)).toEqual({
    keyId: limited.id,
    keyName: null,
    customerId: 'other',
    scopes: new Set(['runs:read', 'usage:read']),
    roles: [],
    person: null,
    suspended: false,
    secretHash: secretHash(keyPepper)(limited.id, limited.secret),
  })
})

test('a key with runs:write may signal', async () => {
  const writer = await addKey(database, { customerId: 'other', scopes: ['runs:write'] })
  const { scopes } = await authenticator.authenticate(writer.authorization)
  expect(scopes).toEqual(new Set(['runs:write', 'runs:signal']))
})

describe('a caller that was just authenticated', () => {
  const recognized = (authorization: string | undefined = key.authorization) =>
    authenticator.findVerified(authorization)

  test('is found by the same secret, and by no other', async () => {
    expect(recognized()).toBeUndefined()
    const principal = await authenticator.authenticate(key.authorization)
    expect(recognized()).toBe(principal)
    expect(recognized(bearer(key.id, `${key.secret.slice(0, -1)}~`))).toBeUndefined()
    expect(recognized(bearer(key.id, `${key.secret}x`))).toBeUndefined()
    expect(recognized(bearer('key_unknown', key.secret))).toBeUndefined()
    expect(authenticator.findVerified(undefined)).toBeUndefined()
    for (const malformed of ['', 'Bearer', `Basic ${key.id}:${key.secret}`])
      expect(recognized(malformed)).toBeUndefined()
  })

  test('must be authenticated again if the key was changed here, has expired, or was read too long ago', async () => {
    await authenticator.authenticate(key.authorization)
    authenticator.forget(key.id)
    expect(recognized()).toBeUndefined()
    await setExpiry(database, key.id, 2_000)
    await authenticator.authenticate(key.authorization)
    expect(recognized()).toBeDefined()
    clock.ms += 2_001
    expect(recognized()).toBeUndefined()
    await setExpiry(database, key.id, 60_000)
    await authenticator.authenticate(key.authorization).catch(() => undefined)
    clock.ms += 3_001
    expect(recognized()).toBeUndefined()
  })

  test('is not found by a rotated secret, although it is still valid', async () => {
    await rotate(3600)
    await authenticator.authenticate(key.authorization)
    expect(recognized()).toBeUndefined()
  })
})

test('a missing header and a malformed header have different errors', async () => {
  expect(await reasonFor(undefined)).toBe('AUTH_HEADER_MISSING')
  expect(await reasonFor(`Basic ${key.id}:${key.secret}`)).toBe('AUTH_HEADER_MALFORMED')
})

test('no key is valid with another pepper', async () => {
  authenticator = new Authenticator({ database, keyPepper: randomBytes(32), now: clock.now })
  expect(await reasonFor(key.authorization)).toBe('API_KEY_INVALID')
})

test('the hash of one key is useless for another', async () => {
  const moved = secretHash(keyPepper)((await addKey(database)).id, 'secret')
  await rotateLiveKey(database, {
    id: key.id,
    customerId: 'acme',
    secretHash: moved,
    overlapSeconds: 0,
    by: actorOf({}),
    seed: Buffer.alloc(32),
  })
  expect(await reasonFor(bearer(key.id, 'secret'))).toBe('API_KEY_INVALID')
})

describe('an unknown id and a wrong secret', () => {
  const statementsFor = async (authorization: string) => {
    const before = database.executed.length
    const refusal = await refusalOf(authorization)
    clock.ms += 1
    return { refusal, statements: database.executed.slice(before).map(({ text }) => text) }
  }

  test('get the same error with the same statements, the first time and later', async () => {
    // The first look reads an id that is not cached; the second one reads every id that is refused.
    for (const statements of [2, 1, 1]) {
      const unknown = await statementsFor(bearer('key_unknown', key.secret))
      const wrong = await statementsFor(bearer(key.id, 'wrong'))
      expect(wrong).toEqual(unknown)
      expect(unknown.refusal).toEqual({ reason: 'API_KEY_INVALID', message: 'The API key is invalid.' })
      expect(unknown.statements).toHaveLength(statements)
    }
  })

  test('a malformed id is unknown without a query', async () => {
    expect(await statementsFor(bearer('k\u00e9y', 'secret'))).toMatchObject({
      refusal: { reason: 'API_KEY_INVALID' },
      statements: [],
    })
  })

  test('are the same for a key that is revoked or has expired', async () => {
    const expired = await addKey(database)
    await setExpiry(database, expired.id, -1)
    await revoke()
    expect(await reasonFor(bearer(key.id, 'wrong'))).toBe('API_KEY_INVALID')
    expect(await reasonFor(bearer(expired.id, 'wrong'))).toBe('API_KEY_INVALID')
  })
})

describe('revoked and expired', () => {
  test('a revoked key gets its own error', async () => {
    await revoke()
    expect(await refusalOf(key.authorization)).toEqual({
      reason: 'API_KEY_REVOKED',
      message: 'The API key is revoked.',
    })
  })

  test('an expired key gets its own error', async () => {
    await setExpiry(database, key.id, -1)
    expect(await refusalOf(key.authorization)).toEqual({
      reason: 'API_KEY_EXPIRED',
      message: 'The API key has expired.',
    })
  })

  test('a key expires on time, even while it is cached', async () => {
    await setExpiry(database, key.id, 2_000)
    await authenticator.authenticate(key.authorization)
    clock.ms += 2_001
    expect(await reasonFor(key.authorization)).toBe('API_KEY_EXPIRED')
    expect(database.executed.filter(({ name }) => name === 'find-credentials')).toHaveLength(1)
  })

  test('a key that is both counts as revoked', async () => {
    await setExpiry(database, key.id, -1)
    await revoke()
    expect(await reasonFor(key.authorization)).toBe('API_KEY_REVOKED')
  })
})

describe('after a rotation', () => {
  test('both secrets are valid during the overlap', async () => {
    const { secret } = await rotate(60)
    expect(await authenticator.authenticate(bearer(key.id, secret))).toMatchObject({ keyId: key.id })
    expect(await authenticator.authenticate(key.authorization)).toMatchObject({ keyId: key.id })
  })

  test('the old secret is invalid after the overlap', async () => {
    await rotate(60)
    await endOverlap(database, key.id)
    expect(await refusalOf(key.authorization)).toEqual(await refusalOf(bearer('key_unknown', 'x')))
  })

  test('the overlap ends on time, even while the key is cached', async () => {
    await rotate(2)
    await authenticator.authenticate(key.authorization)
    await endOverlap(database, key.id)
    clock.ms += 1_000
    await authenticator.authenticate(key.authorization)
    clock.ms += 1_001
    expect(await reasonFor(key.authorization)).toBe('API_KEY_INVALID')
  })

  test('without an overlap the old secret is invalid at once', async () => {
    await rotate(0)
    expect(await reasonFor(key.authorization)).toBe('API_KEY_INVALID')
  })

  test('another one leaves each old secret valid until its own time', async () => {
    const { secret } = await rotate(60)
    await rotate(3_600)
    const old = { keyId: key.id, hasOldSecret: true }
    expect(await authenticator.authenticate(bearer(key.id, secret))).toMatchObject(old)
    expect(await authenticator.authenticate(key.authorization)).toMatchObject(old)
    await database.run({
      text: 'update api_keys set old_until[2] = clock_timestamp() where id = $1',
      values: [key.id],
    })
    clock.ms += 3_001
    expect(await reasonFor(key.authorization)).toBe('API_KEY_INVALID')
    expect(await authenticator.authenticate(bearer(key.id, secret))).toMatchObject(old)
  })

  test('the new secret works at once in a process that has cached the old one', async () => {
    await authenticator.authenticate(key.authorization)
    const { secret } = await rotate(60)
    clock.ms += 1
    expect(await authenticator.authenticate(bearer(key.id, secret))).toMatchObject({ keyId: key.id })
  })

  test('the previous secret also gets the error for a revoked key', async () => {
    await rotate(60)
    await revoke()
    expect(await reasonFor(key.authorization)).toBe('API_KEY_REVOKED')
  })
})

test('a suspension is detected, and noticed within the lifetime of the cache', async () => {
  await authenticator.authenticate(key.authorization)
  await suspendCustomer(database, 'acme')
  clock.ms += 3_001
  expect(await authenticator.authenticate(key.authorization)).toMatchObject({ suspended: true })
  await resumeCustomer(database, 'acme')
  clock.ms += 3_001
  expect(await authenticator.authenticate(key.authorization)).toMatchObject({ suspended: false })
})

test('a customer that has moved to another cell is told to try again, also with a cached key', async () => {
  const moved = await addKey(database, { customerId: 'mover' })
  await authenticator.authenticate(moved.authorization)
  await setMoveState(database, 'mover', { move: 'moved', cell: 'b' })
  clock.ms += 3_001
  const refused = expect.objectContaining({ reason: 'CUSTOMER_MOVING', retryAfterSeconds: 1 })
  await expect(authenticator.authenticate(moved.authorization)).rejects.toEqual(refused)
  expect(authenticator.findVerified(moved.authorization)).toBeUndefined()
  expect((await authenticator.recheck([moved.id])).get(moved.id)).toBe('CUSTOMER_MOVING')
})

test('a recheck reads the status of many keys with one statement', async () => {
  const revoked = await addKey(database)
  const expired = await addKey(database)
  const suspended = await addKey(database, { customerId: 'suspended' })
  await revokeKey({ database }, { customerId: 'acme' }, revoked.id)
  await setExpiry(database, expired.id, -1)
  await suspendCustomer(database, 'suspended')
  await authenticator.authenticate(revoked.authorization).catch(() => undefined)
  database.executed.length = 0

  const standings = await authenticator.recheck([key.id, revoked.id, expired.id, suspended.id, 'key_gone', key.id])

  expect(Object.fromEntries(standings)).toEqual({
    [key.id]: 'ok',
    [revoked.id]: 'API_KEY_REVOKED',
    [expired.id]: 'API_KEY_EXPIRED',
    [suspended.id]: 'CUSTOMER_SUSPENDED',
    key_gone: 'API_KEY_INVALID',
  })
  expect(database.executed).toHaveLength(1)
})
