// Signing in through an identity provider: a real provider, a real browser, and what an attacker tries in between.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { TestProvider } from '../support/identity-provider.ts'
import { type Service, startService } from '../support/service.ts'
import { sharedBrowser } from './visitor.ts'

let provider: TestProvider
let service: Service
let browser: Browser
const contexts: BrowserContext[] = []

beforeAll(async () => {
  provider = await TestProvider.start({
    people: {
      ada: { name: 'Ada Example', groups: ['finance'] },
      bob: { name: 'Bob Example', groups: ['finance', 'other-staff'] },
      eve: { name: 'Eve Example', groups: ['nobody'] },
    },
    groups: [
      { group: 'finance', customer: 'acme', scopes: ['runs:read', 'runs:signal'], roles: ['finance'] },
      { group: 'admins', customer: 'acme', scopes: ['keys:admin'] },
      { group: 'other-staff', customer: 'other', scopes: ['runs:read'] },
    ],
  })
  // As a process sees it that has cached nothing.
  service = await startService(provider.env, { sessionCacheMs: -1 })
  browser = await sharedBrowser()
})
afterEach(async () => {
  provider.isAway = false
  provider.onCallback = (url) => url
  provider.setGroups('ada', ['finance'])
  for (const context of contexts.splice(0)) await context.close()
})
afterAll(async () => {
  await service.stop()
  await provider.stop()
})

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' })
  contexts.push(context)
  // The pages of the provider name fonts elsewhere. Without a network, each would wait for them.
  await context.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  )
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  return page
}

async function proveAs(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}

const arrive = async (login = 'ada', hash = ''): Promise<Page> => arriveAt(await openPage(), login, hash)

async function arriveAt(page: Page, login: string, hash: string): Promise<Page> {
  await page.goto(`${service.url}/console/${hash}`)
  await page.getByRole('link', { name: 'Sign in with Example SSO' }).click()
  await proveAs(page, login)
  return page
}

const seesRuns = (page: Page) => page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
const seesText = (page: Page, text: string) => page.getByText(text).first().waitFor()

const sessionIn = async (page: Page) =>
  (await page.context().cookies(service.url)).find(({ name }) => name === 'runwright_session')

/** As a program that has the cookie. */
const read = async (cookie: { name: string; value: string } | undefined, path = '/console/session') =>
  new Caller(service.url, null).send({
    method: 'GET',
    path,
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, 'x-runwright-console': '1' },
  })

const change = (text: string) => service.database.run({ text })
/** As if a quarter of an hour had passed. */
const outdateGroups = () => change("update console_sessions set groups_until = clock_timestamp() - interval '1 second'")

describe('a sign-in', () => {
  test('opens the page that was asked for, as the person, with what the groups allow', async () => {
    const page = await arrive('ada', '#/inbox')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    expect(page.url()).toBe(`${service.url}/console/#/inbox`)
    const cookie = await sessionIn(page)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    expect((await read(cookie)).json()).toMatchObject({
      customer_id: 'acme',
      key_name: 'Ada Example',
      person: 'ada',
      scopes: ['runs:read', 'runs:signal'],
      roles: ['finance'],
      signs_in: true,
    })
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('runwright_sign_in')
    await page.getByText('Ada Example').click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).waitFor()
    expect((await read(cookie)).status).toBe(401)
  })

  test('of a person without access says so, and leaves nothing', async () => {
    const page = await arrive('eve')
    await seesText(page, 'None of your groups has access.')
    expect(await sessionIn(page)).toBeUndefined()
    expect(await change("select from api_keys where subject = 'eve'")).toEqual([])
  })

  test('of a person of several customers asks for which', async () => {
    const page = await arrive('bob', '#/inbox')
    await page.getByRole('link', { name: 'other' }).click()
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    expect((await read(await sessionIn(page))).json()).toMatchObject({ customer_id: 'other', roles: [] })
  })

  test('while the provider is away says so by name, and a key still works', async () => {
    provider.onCallback = (url) => {
      provider.isAway = true
      return url
    }
    const page = await arrive('ada')
    await seesText(page, 'Example SSO cannot be asked now.')
    await page.getByRole('link', { name: 'Sign in with an API key' }).click()
    await page.getByLabel('API key').fill(service.key)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await seesRuns(page)
  })
})

describe('an attacker', () => {
  /** The address that the provider leads back to. The browser does not go there. */
  async function catchCallback(page: Page, login: string, query = ''): Promise<string> {
    const caught = new Promise<string>((resolve) => {
      provider.onCallback = (url) => {
        resolve(url)
        return `${service.url}/health/live`
      }
    })
    await page.goto(`${service.url}/console/sign-in${query}`)
    await proveAs(page, login)
    await page.waitForURL(`${service.url}/health/live`)
    provider.onCallback = (url) => url
    return caught
  }

  test('cannot sign a victim in as the attacker: the answer is bound to the browser', async () => {
    const callback = await catchCallback(await openPage(), 'ada')
    const victim = await openPage()
    await victim.goto(callback)
    await seesText(victim, 'This browser did not begin this sign-in')
    expect(await sessionIn(victim)).toBeUndefined()
    await victim.goto(`${service.url}/console/sign-in`)
    await victim.goto(callback)
    await seesText(victim, 'This browser did not begin this sign-in')
    expect(await sessionIn(victim)).toBeUndefined()
  })

  test('cannot use a changed state, and the page shows nothing of it', async () => {
    const page = await openPage()
    const callback = await catchCallback(page, 'ada')
    const changed = callback.replace(/state=[^&]+/, 'state=%3Cb%3Einjected')
    await page.goto(changed)
    await seesText(page, 'This browser did not begin this sign-in')
    expect(await page.content()).not.toContain('injected')
  })

  test('cannot use a code again, even with the cookie of the attempt', async () => {
    const page = await openPage()
    const callback = await catchCallback(page, 'ada')
    const attempt = (await page.context().cookies()).find(({ name }) => name === 'runwright_sign_in')
    await page.goto(callback)
    await seesRuns(page)
    await page.goto(callback)
    await seesText(page, 'This browser did not begin this sign-in')
    const thief = await openPage()
    if (attempt) await thief.context().addCookies([attempt])
    await thief.goto(callback)
    await seesText(thief, 'This sign-in was used before')
    expect(await sessionIn(thief)).toBeUndefined()
  })

  test.each([
    '//evil.example',
    'https://evil.example/#/',
    '#/../../evil',
    'javascript:alert(1)',
    '#//evil.example',
    '\\evil',
  ])('cannot lead away from the service with %s', async (to) => {
    const page = await openPage()
    const callback = await catchCallback(page, 'ada', `?to=${encodeURIComponent(to)}&customer=acme`)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(callback)
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    expect(new URL(page.url())).toMatchObject({ origin: service.url, pathname: '/console/' })
    expect(requests.filter((url) => new URL(url).origin !== service.url)).toEqual([])
  })

  test('who has put a session into the browser before does not share the new one', async () => {
    const page = await openPage()
    const planted = 'A'.repeat(43)
    await page.context().addCookies([{ name: 'runwright_session', value: planted, url: service.url }])
    await page.goto(`${service.url}/console/sign-in?customer=acme`)
    await proveAs(page, 'ada')
    await seesRuns(page)
    expect((await sessionIn(page))?.value).not.toBe(planted)
    expect((await read({ name: 'runwright_session', value: planted })).status).toBe(401)
  })
})

describe('a session', () => {
  test('that has expired ends, and the next sign-in leads back to the page', async () => {
    const page = await arrive('ada', '#/inbox')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await change("update console_sessions set expires_at = clock_timestamp() - interval '1 second'")
    await page.reload()
    // The provider still knows the person, so the person types nothing.
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click()
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  })

  test('ends with the groups of the person, and their roles with it', async () => {
    const page = await arrive()
    await seesRuns(page)
    const cookie = await sessionIn(page)
    provider.setGroups('ada', [])
    await outdateGroups()
    expect((await read(cookie)).json()).toMatchObject({ reason_code: 'SESSION_ENDED' })
    expect(await change("select roles from api_keys where subject = 'ada'")).toEqual([{ roles: [] }])
    await page.reload()
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click()
    await seesText(page, 'None of your groups has access.')
  })

  test('goes on with changed groups, and with the next refresh token after that', async () => {
    const page = await arrive()
    await seesRuns(page)
    const cookie = await sessionIn(page)
    for (const groups of [['finance', 'admins'], ['finance']]) {
      provider.setGroups('ada', groups)
      await outdateGroups()
      const { scopes } = (await read(cookie)).json<{ scopes: string[] }>()
      expect(scopes.includes('keys:admin')).toBe(groups.includes('admins'))
    }
  })

  test('pauses while the provider is away, and goes on afterwards', async () => {
    const page = await arrive()
    await seesRuns(page)
    const cookie = await sessionIn(page)
    provider.isAway = true
    expect((await read(cookie)).status).toBe(200)
    await outdateGroups()
    const refused = await read(cookie)
    expect([refused.status, refused.json()]).toMatchObject([503, { reason_code: 'SIGN_IN_UNAVAILABLE' }])
    expect(refused.text).toContain(new URL(provider.issuer).host)
    provider.isAway = false
    expect((await read(cookie)).status).toBe(200)
  })

  test('ends on all browsers of the person with one button, and not those of others', async () => {
    const [here, there] = [await arrive(), await arrive()]
    await seesRuns(here)
    await seesRuns(there)
    const other = await arrive('bob')
    await other.getByRole('link', { name: 'other' }).click()
    await seesRuns(other)
    const cookies = await Promise.all([here, there, other].map(sessionIn))
    await here.getByText('Ada Example').click()
    await here.getByRole('button', { name: 'Sign out everywhere' }).click()
    await here.waitForURL(`${provider.issuer}/**`)
    const statuses = await Promise.all(cookies.map(async (cookie) => (await read(cookie)).status))
    expect(statuses).toEqual([401, 401, 200])
  })
})

test('the questions of a person are those of the roles that their groups give', async () => {
  const caller = new Caller(service.url, service.key)
  const asking = async (role: string, reauth = false) => {
    const { id } = await caller.newRun()
    await new Driver(service.database).toAwaiting(id, { rules: { approvers: [role], reauth } })
    return id
  }
  const [finance, recent, board] = [await asking('finance'), await asking('finance', true), await asking('board')]
  const page = await arrive()
  await seesRuns(page)
  const listed = (await read(await sessionIn(page), '/v1/runs?awaiting_input=true&assigned=me')).text
  expect([finance, recent, board].map((id) => listed.includes(id))).toEqual([true, true, false])
})

describe('a question that needs a recent sign-in', () => {
  /** Signed in long ago, as the provider says. */
  const ageSignIns = () => change("update console_sessions set signed_in_at = clock_timestamp() - interval '6 minutes'")

  async function waitingRun() {
    const caller = new Caller(service.url, service.key)
    const { id } = await caller.newRun()
    const seq = await new Driver(service.database).toAwaiting(id, {
      prompt: 'Pay the invoice?',
      rules: { approvers: ['finance'], reauth: true },
    })
    return { id, caller, hash: `#/decide/${id}/${seq}` }
  }

  const approve = async (page: Page) => {
    await page.getByText('Who decides must have signed in again').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('timer', { name: 'Time to undo' }).waitFor()
    await page.clock.fastForward(6_000)
  }

  test('is not answered by a key, whatever roles it has', async () => {
    const { id, caller } = await waitingRun()
    await change("update api_keys set roles = '{finance}', person = 'ada' where id = 'key_acme'")
    const reply = await caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })
    expect([reply.status, reply.json()]).toMatchObject([403, { reason_code: 'REAUTH_REQUIRED' }])
    expect((await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json()).toMatchObject({
      awaiting_input: { reauth: true },
    })
  })

  test('leads through the provider, which asks again, and back to the question', async () => {
    const { id, caller, hash } = await waitingRun()
    const page = await openPage()
    await page.clock.install()
    await arriveAt(page, 'ada', hash)
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await ageSignIns()
    const before = await sessionIn(page)
    await approve(page)
    await page.getByRole('link', { name: 'Sign in again' }).click()
    // The provider knows the person, and asks anyway.
    await proveAs(page, 'ada')
    await page.waitForURL(`${service.url}/console/${hash}`)
    expect((await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json()).toMatchObject({
      awaiting_input: { reauth: true },
    })
    await approve(page)
    await page.getByText('This question is answered').waitFor()
    expect((await caller.get(`/v1/runs/${id}?include=signals`)).json()).toMatchObject({
      signals: [{ action: 'approve', person: expect.stringContaining('ada'), roles: ['finance'], via: 'console' }],
    })
    expect((await read(before)).status).toBe(401)
  })
})
