// The time of a refusal must not tell which key ids exist or are in use, nor how much of a secret is right. What holds:
// every refusal waits for the same paced read and compares the same bytes in constant time, so there is nothing to
// measure. The test counts these steps, because times on a busy machine prove nothing.
//
// On a quiet machine, measure with a running service. The medians of the three lines must be equal within a
// millisecond, and the key of the last one must be in use meanwhile (run a loop of requests with the right secret):
//
//   for id in key_0000000000 key_existing key_in_use; do
//     for n in $(seq 200); do
//       curl -s -o /dev/null -w '%{time_starttransfer}\n' -H "authorization: Bearer $id:wrong" localhost:8080/v1/runs
//     done | sort -n | sed -n 100p
//   done
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Authenticator } from '../../src/access/authenticator.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { maxOldSecrets } from '../../src/domain/old-secrets.ts'
import { ServiceError } from '../../src/domain/service-error.ts'
import { addKey, bearer, keyPepper, type TestKey, WatchedDatabase } from '../support/access.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

/** How many bytes each comparison in constant time had. */
const compared: number[] = []
const { timingSafeEqual } = crypto

let fresh: FreshDatabase
let database: WatchedDatabase
let authenticator: Authenticator
let endPause: () => void
let inUse: TestKey
let idle: TestKey
let revoked: TestKey

beforeAll(async () => {
  crypto.timingSafeEqual = (left, right) => {
    compared.push(left.byteLength)
    return timingSafeEqual(left, right)
  }
  syncBuiltinESMExports()
  fresh = await freshDatabase()
  database = new WatchedDatabase(fresh.connection)
})
afterAll(async () => {
  crypto.timingSafeEqual = timingSafeEqual
  syncBuiltinESMExports()
  await database.close()
  await fresh.drop()
})
beforeEach(async () => {
  ;[inUse, idle, revoked] = [await addKey(database), await addKey(database), await addKey(database)]
  await revokeKey({ database }, { customerId: 'acme' }, revoked.id)
  // The pauses that these two need are over at once.
  authenticator = newAuthenticator(() => Promise.resolve())
  await authenticator.authenticate(inUse.authorization)
  await authenticator.authenticate(bearer('key_asked_before', 'wrong')).catch(() => undefined)
  database.executed.length = 0
  compared.length = 0
})

let pause: () => Promise<void>
function newAuthenticator(firstPause: () => Promise<void>): Authenticator {
  pause = firstPause
  return new Authenticator({ database, keyPepper, pause: () => pause() })
}

/** Paced reads wait until the test calls `endPause`. */
function holdPace(): void {
  pause = () =>
    new Promise((resolve) => {
      endPause = resolve
    })
}

const wrongEnd = ({ id, secret }: TestKey) => bearer(id, `${secret.slice(0, -1)}~`)
const kinds: readonly [string, () => string][] = [
  ['the id of a key that is in use', () => bearer(inUse.id, 'wrong')],
  ['a secret that is wrong only at its end', () => wrongEnd(inUse)],
  ['a secret that is too long', () => bearer(inUse.id, `${inUse.secret}~`)],
  ['the id of a key that is not in use', () => bearer(idle.id, 'wrong')],
  ['the id of a revoked key', () => bearer(revoked.id, 'wrong')],
  ['an unknown id', () => bearer('key_unknown', 'wrong')],
  ['an unknown id that was asked for before', () => bearer('key_asked_before', 'wrong')],
  ['what is no id', () => bearer('k\u00e9y', 'wrong')],
]

/** As the routes do it: first the fast look, then the whole one. */
async function refuse(authorization: string): Promise<unknown> {
  expect(authenticator.findVerified(authorization)).toBeUndefined()
  return authenticator.authenticate(authorization).then(
    () => expect.unreachable('the key was accepted'),
    (error) => error,
  )
}

const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('all refusals wait for one read, and are the same', async () => {
  holdPace()
  const settled: string[] = []
  const refusals = kinds.map(async ([kind, authorization]) => {
    const error = await refuse(authorization())
    settled.push(kind)
    return error
  })
  // The first looks, which share a statement: a refusal could be known now.
  await database.untilExecuted(1)
  await turns(20)
  expect(settled).toEqual([])
  endPause()
  const errors = await Promise.all(refusals)
  expect(settled).toHaveLength(kinds.length)
  for (const error of errors) expect(error).toEqual(new ServiceError('API_KEY_INVALID', 'The API key is invalid.'))
  expect(database.executed).toHaveLength(2)
})

describe('a refusal', () => {
  test.each(kinds)('of %s takes a paced read and the same comparisons', async (_kind, authorization) => {
    let pauses = 0
    pause = async () => {
      pauses += 1
    }
    await refuse(authorization())
    expect(pauses).toBe(1)
    // The secret of the fast look, then the current hash and all old ones, at each of four looks.
    const hashes = Array(4 * (1 + maxOldSecrets)).fill(32)
    expect(compared).toEqual([43, ...hashes])
  })
})

test('a right key waits for no pause, and costs no paced read', async () => {
  holdPace()
  expect(await authenticator.authenticate(idle.authorization)).toMatchObject({ keyId: idle.id })
  pause = () => Promise.resolve()
  endPause()
  // Its paced read comes after the one that the right key had a place in.
  await refuse(bearer('key_asked_before', 'wrong'))
  expect(database.executed).toHaveLength(2)
})

test('a flood of wrong keys shares few statements, and a right key does not wait for it', async () => {
  holdPace()
  const flood = Array.from({ length: 900 }, (_, n) => refuse(bearer(`key_flood${n}`, 'wrong')))
  await database.untilExecuted(1)
  expect(await authenticator.authenticate(idle.authorization)).toMatchObject({ keyId: idle.id })
  pause = () => Promise.resolve()
  endPause()
  await Promise.all(flood)
  expect(database.executed.length).toBeLessThanOrEqual(6)
})
