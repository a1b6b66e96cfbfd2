import { afterAll, beforeAll, expect, test } from 'vitest'
import { addKey, HandClock, keyPepper, WatchedDatabase } from '../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { forgetSessions } from '../retention/forget-sessions.ts'
import { Authenticator } from './authenticator.ts'
import { ConsoleSessions } from './console-sessions.ts'

let fresh: FreshDatabase
let database: WatchedDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  database = new WatchedDatabase(fresh.connection)
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const ended = expect.objectContaining({ reason: 'SESSION_ENDED' })

/** A process with its own caches, at a time set by hand. */
function startProcess(clock = new HandClock()) {
  const authenticator = new Authenticator({ database, keyPepper, now: clock.now, pauseMs: 0 })
  return { clock, sessions: new ConsoleSessions({ database, keyPepper, authenticator, now: clock.now }) }
}

async function openSession({ sessions } = startProcess()) {
  const { id, secret, key } = await addKey(database)
  const principal = { keyId: id, keyName: key.name, customerId: 'acme', scopes: new Set(key.scopes), suspended: false }
  return { keyId: id, principal, secret, ...(await sessions.open(principal, secret)) }
}

test('a session is read once in three seconds, with its key', async () => {
  const { clock, sessions } = startProcess()
  const { token, keyId } = await openSession()
  const before = database.executed.length
  for (let n = 0; n < 10; n += 1) expect(await sessions.authenticate(token)).toMatchObject({ keyId })
  expect(database.executed.length - before).toBe(2)
  clock.ms += 3_001
  await sessions.authenticate(token)
  expect(database.executed.length - before).toBe(4)
})

test('unknown tokens that arrive together share statements, and a token of another form costs none', async () => {
  const { sessions } = startProcess()
  const before = database.executed.length
  const tokens = Array.from({ length: 500 }, (_, n) => String(n).padStart(43, '0'))
  const outcomes = await Promise.allSettled(tokens.map((token) => sessions.authenticate(token)))
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(database.executed.length - before).toBeLessThanOrEqual(3)
  const after = database.executed.length
  await expect(sessions.authenticate(`${tokens[0]}0`)).rejects.toThrow(ended)
  expect(database.executed.length).toBe(after)
})

test('a session that ended on one process ends on the others within three seconds', async () => {
  const [here, there] = [startProcess(), startProcess()]
  const { token } = await openSession(here)
  await there.sessions.authenticate(token)
  await here.sessions.end(token)
  await expect(here.sessions.authenticate(token)).rejects.toThrow(ended)
  there.clock.ms += 3_001
  await expect(there.sessions.authenticate(token)).rejects.toThrow(ended)
})

test('a read that was under way when the session ended is not cached', async () => {
  const { sessions } = startProcess()
  const { token } = await openSession()
  const answer = database.holdAnswers()
  const count = database.executed.length
  const early = sessions.authenticate(token)
  await database.untilExecuted(count + 1)
  // Only the read stays held: what follows is answered at once.
  database.holdAnswers()()
  await sessions.end(token)
  answer()
  await early
  await expect(sessions.authenticate(token)).rejects.toThrow(ended)
})

test('a session ends after 30 days, by the clock of the database, and is then deleted', async () => {
  const process = startProcess()
  const { token, expiresAt, principal } = await openSession(process)
  expect(Math.abs(expiresAt.getTime() - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
  await process.sessions.authenticate(token)
  await database.run({
    text: "update console_sessions set expires_at = clock_timestamp() + interval '2 seconds' where key_id = $1",
    values: [principal.keyId],
  })
  process.clock.ms += 3_001
  await process.sessions.authenticate(token)
  process.clock.ms += 2_001
  await expect(process.sessions.authenticate(token)).rejects.toThrow(ended)
  expect(await forgetSessions(database)).toEqual({ forgotten: 0 })
  await database.run({
    text: "update console_sessions set expires_at = clock_timestamp() - interval '1 ms' where key_id = $1",
    values: [principal.keyId],
  })
  expect(await forgetSessions(database)).toEqual({ forgotten: 1 })
  expect(await forgetSessions(database)).toEqual({ forgotten: 0 })
})

test('a session ends with the overlap of the secret that it was opened with', async () => {
  const process = startProcess()
  const { token, keyId } = await openSession(process)
  await rotate(keyId, '10 seconds')
  const principal = await process.sessions.authenticate(token)
  expect(principal).toMatchObject({ keyId, hasOldSecret: true })
  const { sessionId = '' } = principal
  expect(await process.sessions.recheck([sessionId])).toEqual(new Map([[sessionId, 'open']]))
  const end = await process.sessions.findEnd(principal)
  expect((end?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(10_000)
  await database.run({
    text: 'update api_keys set old_until = array[clock_timestamp()] where id = $1',
    values: [keyId],
  })
  process.clock.ms += 3_001
  await expect(process.sessions.authenticate(token)).rejects.toThrow(ended)
  expect(await process.sessions.recheck([sessionId])).toEqual(new Map())
})

test.each([
  ['was revoked', 'revoked_at = clock_timestamp()'],
  ['has expired', 'expires_at = clock_timestamp()'],
  ['has another secret', 'secret_hash = sha256(secret_hash)'],
])('no session is opened with a key that %s a moment ago, though it is still cached', async (_case, change) => {
  const { sessions } = startProcess()
  const { principal, secret, keyId } = await openSession()
  await database.run({ text: `update api_keys set ${change} where id = $1`, values: [keyId] })
  await expect(sessions.open(principal, secret)).rejects.toThrow(expect.objectContaining({ reason: 'API_KEY_INVALID' }))
})

const rotate = (keyId: string, overlap: string) =>
  database.run({
    text: `
update api_keys
set old_hashes = array[secret_hash], old_until = array[clock_timestamp() + $2::interval],
  secret_hash = sha256(secret_hash)
where id = $1`,
    values: [keyId, overlap],
  })
