// What becomes of the different things that a provider says about a person, or does not say: the address, the groups,
// when the person has signed in, and how long the answer counts.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { addCustomer } from '../support/access.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { TestProvider } from '../support/identity-provider.ts'
import { passSignIn } from '../support/pass-sign-in.ts'
import { newSignIns } from '../support/sign-ins.ts'

const keyPepper = randomBytes(32)
let fresh: FreshDatabase

beforeEach(async () => {
  fresh = await freshDatabase()
  await addCustomer(fresh.database, 'acme')
})
afterEach(() => fresh.drop())

type Options = Omit<Parameters<typeof TestProvider.start>[0], 'people' | 'groups'>

/** A provider that knows ada, and a process of the service. */
async function start(options: Options = {}) {
  const provider = await TestProvider.start({
    people: { ada: { name: 'Ada Example', groups: ['finance'] } },
    groups: [{ group: 'finance', customer: 'acme', scopes: ['runs:read'], roles: ['finance'] }],
    ...options,
  })
  onTestFinished(() => provider.stop())
  const log: object[] = []
  const process = newSignIns({ database: fresh.database, keyPepper, provider, onLog: (fields) => log.push(fields) })
  return { ...process, provider, log }
}

type Started = Awaited<ReturnType<typeof start>>

/** `change` is what ada does to the address of the provider. */
async function signIn({ signIns }: Started, { isFresh = false, change = (_: URL) => {} } = {}) {
  const begun = await signIns.begin({ isFresh, page: '#/runs', customerId: undefined, sessionId: undefined })
  const url = new URL(begun?.url ?? '')
  change(url)
  return signIns.finish(begun?.attempt, await passSignIn(url.href, 'ada'))
}

async function signedIn(started: Started) {
  const outcome = await signIn(started)
  if (outcome.kind !== 'signed_in') throw new Error(`the sign-in ${JSON.stringify(outcome)}`)
  return outcome.session
}

const run = <Row extends Record<string, unknown>>(text: string) => fresh.database.run<Row>({ text })
const sessions = () => run('select from console_sessions')

describe('the address of a person', () => {
  const settings = { person_claim: 'email' }

  test('is the person if the provider has verified it', async () => {
    const started = await start({ settings })
    const { token } = await signedIn(started)
    expect((await started.sessions.authenticate(token)).person).toBe('ada@example.com')
  })

  test.each([
    ['is not verified', false],
    ['may be verified, in other words', 'true' as never],
    ['is verified by nobody', undefined],
  ])('is nobody if it %s', async (_how, email_verified) => {
    const started = await start({ settings })
    started.provider.people.set('ada', { name: 'Ada Example', groups: ['finance'], email_verified } as never)
    expect(await signIn(started)).toMatchObject({ kind: 'failed', problem: 'person_unknown' })
    expect(await sessions()).toEqual([])
  })
})

describe('groups', () => {
  test.each([
    ['a list', ['other', 'finance']],
    ['one text', 'finance'],
    ['a list with something else in it', [null, 7, { group: 'finance' }, 'finance']],
  ])('count as %s', async (_what, groups) => {
    const started = await start()
    started.provider.setGroups('ada', groups)
    const { token } = await signedIn(started)
    expect((await started.sessions.authenticate(token)).roles).toEqual(['finance'])
  })

  test.each([
    ['missing', undefined],
    ['a number', 7],
    ['true', true],
    ['an object', { finance: true }],
    ['a list in a list', [['finance']]],
    ['a list in one text', 'finance,other'],
    ['another case', 'Finance'],
  ])('give nothing if they are %s', async (_what, groups) => {
    const started = await start()
    started.provider.setGroups('ada', groups)
    expect(await signIn(started)).toMatchObject({ kind: 'failed', problem: 'no_access' })
    expect(await sessions()).toEqual([])
  })

  test('that are not in the ID token are asked for, at the sign-in and later', async () => {
    const started = await start({ hasUserInfo: true })
    const { token } = await signedIn(started)
    const who = await started.sessions.authenticate(token)
    expect([who.roles, who.keyName]).toEqual([['finance'], 'Ada Example'])
    started.provider.setGroups('ada', [])
    await run('update console_sessions set groups_until = clock_timestamp()')
    await expect(newSession(started).authenticate(token)).rejects.toMatchObject({ reason: 'SESSION_ENDED' })
  })
})

/** Without a cache. */
const newSession = ({ provider }: Pick<Started, 'provider'>) =>
  newSignIns({ database: fresh.database, keyPepper, provider }).sessions

describe('a session without a refresh token', () => {
  test('ends after 15 minutes, without a question to the provider', async () => {
    const { provider, ...started } = await start({ refreshes: false })
    const { token } = await signedIn({ provider, ...started })
    await run("update console_sessions set groups_until = groups_until - interval '14 minutes 50 seconds'")
    expect((await newSession({ provider }).authenticate(token)).roles).toEqual(['finance'])
    await run("update console_sessions set groups_until = groups_until - interval '10 seconds'")
    provider.isAway = true
    await expect(newSession({ provider }).authenticate(token)).rejects.toMatchObject({ reason: 'SESSION_ENDED' })
  })
})

describe('an attempt', () => {
  /** It began so long ago. */
  async function finishAfter(ms: number) {
    const { signIns } = await start()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - ms)
    const begun = await signIns.begin({ isFresh: false, page: '#/runs', customerId: undefined, sessionId: undefined })
    clock.mockRestore()
    return signIns.finish(begun?.attempt, await passSignIn(begun?.url ?? '', 'ada'))
  }

  test('can be finished for 10 minutes', async () => {
    expect(await finishAfter(9 * 60_000)).toMatchObject({ kind: 'signed_in' })
    expect(await finishAfter(10 * 60_000)).toMatchObject({ kind: 'failed', problem: 'attempt_unknown' })
    expect(await sessions()).toHaveLength(1)
  })
})

describe('a sign-in that must be fresh', () => {
  /** What someone at an unlocked computer does, and a provider that ignores the question. */
  const withoutQuestion = (url: URL) => {
    url.searchParams.delete('prompt')
    url.searchParams.delete('max_age')
  }
  const isFresh = true

  test('says when the person has signed in', async () => {
    const started = await start()
    expect(await signIn(started, { isFresh })).toMatchObject({ kind: 'signed_in' })
    const [row] = await run<{ ago: number }>(
      'select extract(epoch from clock_timestamp() - signed_in_at)::float8 as ago from console_sessions',
    )
    expect(row?.ago).toBeLessThan(60)
  })

  test.each([
    ['without a time', { tellsTime: false }, 0, 'no_auth_time'],
    ['of 6 minutes ago', {}, 360, 'auth_time_not_fresh'],
    ['of the future', {}, -120, 'auth_time_not_fresh'],
  ])('%s is none, and the next attempt is one again', async (_what, options, ago, problem) => {
    const started = await start(options)
    started.provider.signedInSecondsAgo = ago
    const outcome = await signIn(started, { isFresh, change: withoutQuestion })
    expect(outcome).toMatchObject({ kind: 'failed', problem, again: { isFresh: true, page: '#/runs' } })
    expect(started.log).toEqual([{ issuer: started.provider.issuer, reason: problem }])
    expect(await sessions()).toEqual([])
  })

  test.each([
    ['without a time', { tellsTime: false }, 0],
    ['of 6 minutes ago', {}, 360],
  ])('is not what another one is: %s it is good for all else', async (_what, options, ago) => {
    const started = await start(options)
    started.provider.signedInSecondsAgo = ago
    expect(await signIn(started)).toMatchObject({ kind: 'signed_in' })
  })
})
