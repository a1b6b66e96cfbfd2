// Signing in through a real provider: an answer for another attempt, and groups that processes read again while they
// stand still or die in between. `test/browser/oidc.test.ts` attacks the same in a browser.
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addCustomer } from '../support/access.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { TestProvider } from '../support/identity-provider.ts'
import { passSignIn } from '../support/pass-sign-in.ts'
import { newSignIns } from '../support/sign-ins.ts'

const keyPepper = randomBytes(32)
let provider: TestProvider
let fresh: FreshDatabase

beforeEach(async () => {
  fresh = await freshDatabase()
  await addCustomer(fresh.database, 'acme')
  provider = await TestProvider.start({
    people: { ada: { name: 'Ada Example', groups: ['finance', 'admins'] } },
    groups: [
      { group: 'finance', customer: 'acme', scopes: ['runs:read'], roles: ['finance'] },
      { group: 'admins', customer: 'acme', scopes: ['keys:admin'], roles: ['admin'] },
    ],
  })
})
afterEach(async () => {
  await provider.stop()
  await fresh.drop()
})

/** What a process does when it has the answer of the provider, and is about to write it down. */
type Then = () => Promise<void>

/** A process of the service. */
function newProcess(onAnswer: Then = async () => {}) {
  const database = fresh.open()
  const write = database.transaction.bind(database)
  database.transaction = async (work) => {
    await onAnswer()
    return write(work)
  }
  return newSignIns({ database, keyPepper, provider }).signIns
}

async function signIn(): Promise<{
  readonly token: string
  readonly tokenHash: Buffer
  readonly secondsBefore: number
}> {
  const process = newProcess()
  const begun = await process.begin({ isFresh: false, page: '#/', customerId: undefined, sessionId: undefined })
  const known = await idsOfSessions()
  const outcome = await process.finish(begun?.attempt, await passSignIn(begun?.url ?? '', 'ada'))
  if (outcome.kind !== 'signed_in') throw new Error(`the sign-in ${outcome.kind}`)
  const [id = ''] = (await idsOfSessions()).filter((id) => !known.includes(id))
  // Renewed whenever it is asked for.
  return { token: outcome.session.token, tokenHash: Buffer.from(id, 'hex'), secondsBefore: 3_600 }
}

const run = <Row extends Record<string, unknown>>(text: string) => fresh.database.run<Row>({ text })
const idsOfSessions = async () =>
  (await run<{ id: string }>("select encode(token_hash, 'hex') as id from console_sessions")).map(({ id }) => id)
const rolesOfAda = async () =>
  (await run<{ roles: string[] }>("select roles from api_keys where subject = 'ada'"))[0]?.roles
/** As if the claim were older than a provider may take. */
const letClaimsEnd = () =>
  run(
    "update console_sessions set renewing_until = renewing_until - interval '1 minute' where renewing_until is not null",
  )

/** A process that stands still when it has the answer of the provider. */
function newPausedProcess() {
  const events = new EventEmitter()
  const isPaused = once(events, 'paused')
  const signIns = newProcess(async () => {
    const goesOn = once(events, 'go-on')
    events.emit('paused')
    await goesOn
  })
  return { signIns, isPaused, goOn: () => events.emit('go-on') }
}

test('a process that comes too late brings no role back', async () => {
  const session = await signIn()
  const late = newPausedProcess()
  const renewal = late.signIns.renew(session)
  await late.isPaused
  provider.setGroups('ada', ['finance'])
  await letClaimsEnd()
  await newProcess().renew(session)
  expect(await rolesOfAda()).toEqual(['finance'])
  const [before] = await run('select * from console_sessions')
  late.goOn()
  await renewal
  expect(await rolesOfAda()).toEqual(['finance'])
  expect(await run('select * from console_sessions')).toEqual([before])
  await newProcess().renew(session)
  expect(await idsOfSessions()).toHaveLength(1)
})

test('a person whose name looks like that of another one is not let in', async () => {
  const lookAlike = 'ada\u200b'
  provider.people.set(lookAlike, { name: 'Ada Example', groups: ['finance'] })
  const process = newProcess()
  const begun = await process.begin({ isFresh: false, page: '#/', customerId: undefined, sessionId: undefined })
  const outcome = await process.finish(begun?.attempt, await passSignIn(begun?.url ?? '', lookAlike))
  expect(outcome).toMatchObject({ kind: 'failed', problem: 'person_unknown' })
})

test('a process that comes too late for a person without groups lets nobody in again', async () => {
  const session = await signIn()
  const late = newPausedProcess()
  const renewal = late.signIns.renew(session)
  await late.isPaused
  provider.setGroups('ada', [])
  await letClaimsEnd()
  await newProcess().renew(session)
  late.goOn()
  await renewal
  expect([await rolesOfAda(), await idsOfSessions()]).toEqual([[], []])
})

test('a process that comes too late ends no session of a person who has groups again', async () => {
  const session = await signIn()
  provider.setGroups('ada', [])
  const late = newPausedProcess()
  const renewal = late.signIns.renew(session)
  await late.isPaused
  provider.setGroups('ada', ['finance'])
  await letClaimsEnd()
  await newProcess().renew(session)
  late.goOn()
  await renewal
  expect([await rolesOfAda(), await idsOfSessions()]).toEqual([['finance'], [session.tokenHash.toString('hex')]])
})

test('the late answer for one session does not undo the one for another of the same person', async () => {
  const [here, there] = [await signIn(), await signIn()]
  const late = newPausedProcess()
  const renewal = late.signIns.renew(here)
  await late.isPaused
  provider.setGroups('ada', ['finance'])
  await newProcess().renew(there)
  late.goOn()
  await renewal
  expect(await rolesOfAda()).toEqual(['finance'])
})

test('a session with an outdated answer of no groups asks again at the next request', async () => {
  const [here, there] = [await signIn(), await signIn()]
  provider.setGroups('ada', [])
  const late = newPausedProcess()
  const renewal = late.signIns.renew(here)
  await late.isPaused
  provider.setGroups('ada', ['finance'])
  await newProcess().renew(there)
  await run('update console_sessions set groups_until = clock_timestamp()')
  late.goOn()
  await renewal
  const asked = provider.refreshes
  await newProcess().renew(here)
  expect(provider.refreshes - asked).toBe(1)
  const open = "select from console_sessions where groups_until > clock_timestamp() + interval '14 minutes'"
  expect([await rolesOfAda(), await run(open)]).toEqual([['finance'], [{}]])
})

test('groups count from when the provider was asked, however long the answer was on its way', async () => {
  const session = await signIn()
  const late = newPausedProcess()
  const renewal = late.signIns.renew(session)
  await late.isPaused
  const text = 'select renewing_until as until from console_sessions'
  const [claim] = await run<{ until: Date }>(text)
  late.goOn()
  await renewal
  const [row] = await run<{ until: Date }>('select groups_until as until from console_sessions')
  expect((row?.until.getTime() ?? 0) - (claim?.until.getTime() ?? 0)).toBe((15 * 60 - 30) * 1_000)
})

test('the refresh token that replaces the old one survives the death of the process that got it', async () => {
  const session = await signIn()
  const dead = newProcess(() => Promise.reject(new Error('killed')))
  await expect(dead.renew(session)).rejects.toThrow('killed')
  await newProcess().renew(session)
  expect(await idsOfSessions()).toHaveLength(1)
  await letClaimsEnd()
  provider.setGroups('ada', ['finance'])
  await newProcess().renew(session)
  expect([await rolesOfAda(), await idsOfSessions()]).toEqual([['finance'], [session.tokenHash.toString('hex')]])
})

test('of two processes at once, one asks', async () => {
  const session = { ...(await signIn()), secondsBefore: 300 }
  await run('update console_sessions set groups_until = clock_timestamp()')
  const asked = provider.refreshes
  await Promise.all(Array.from({ length: 10 }, () => newProcess().renew(session)))
  expect(provider.refreshes - asked).toBe(1)
  expect(await idsOfSessions()).toHaveLength(1)
})

test('an answer of another attempt is refused by its nonce', async () => {
  const process = newProcess()
  const wish = { isFresh: false, page: '#/', customerId: undefined, sessionId: undefined }
  const begun = await process.begin(wish)
  const url = new URL(begun?.url ?? '')
  url.searchParams.set('nonce', 'of-the-attacker')
  const outcome = await process.finish(begun?.attempt, await passSignIn(url.href, 'ada'))
  expect(outcome).toMatchObject({ kind: 'failed', problem: 'answer_invalid' })
  expect(await idsOfSessions()).toEqual([])
})
