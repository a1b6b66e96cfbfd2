// Signing in to the console for this tab or this browser, by key or by link, and signing out everywhere.
import type { KeyWithSecret } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { SignInCodes } from '../../src/access/sign-in-codes.ts'
import { environmentOf, Terminal } from '../support/cli.ts'
import { Caller } from '../support/http.ts'
import { openConsole } from './open-console.ts'
import { phone, Visitor } from './visitor.ts'

let localKey = ''
const signInCodes = new SignInCodes({ readApiKey: () => localKey })
const { service, caller, arriveSignedOut: arrive } = await openConsole({}, { signInCodes })
localKey = service.key

const newKey = async (body: object): Promise<{ id: string; key: string }> => {
  const { key, secret } = (await caller.post('/v1/keys', body)).json<KeyWithSecret>()
  return { id: key.id, key: `${key.id}:${secret}` }
}

const signInForBrowser = async (person: Visitor, key = service.key) => {
  await person.page.getByLabel('Keep me signed in on this browser').check()
  await person.signIn(key)
  await person.seesHeading('Runs')
}

/** Another tab of the same browser. It leaves with the first. */
const openTab = async (person: Visitor): Promise<Visitor> => {
  const tab = new Visitor(await person.page.context().newPage(), service.url)
  await tab.goTo('')
  return tab
}

describe('for this browser', () => {
  test('new tabs are signed in, and no script can read what signs them in', async () => {
    const person = await arrive()
    await signInForBrowser(person)
    const tab = await openTab(person)
    await tab.seesHeading('Runs')
    const [cookie] = await tab.page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    expect(await tab.page.evaluate('document.cookie + sessionStorage.length + localStorage.length')).toBe('00')
    const [, secret = ''] = service.key.split(':')
    expect(cookie?.value).not.toContain(secret)
  })

  test('a key for this tab only does not sign in a new tab', async () => {
    const person = await arrive()
    await person.signIn(service.key)
    await person.seesHeading('Runs')
    const tab = await openTab(person)
    await tab.seesHeading('Runwright console')
  })

  test('everything works with the session: the console creates a run', async () => {
    const person = await arrive()
    await signInForBrowser(person)
    await person.goTo('#/create')
    await person.press('Create run')
    await person.page.getByRole('tab', { name: 'Steps' }).waitFor()
  })

  test('a sign-out ends the session in all tabs and on the service', async () => {
    const person = await arrive()
    await signInForBrowser(person)
    const tab = await openTab(person)
    await tab.seesHeading('Runs')
    const [cookie] = await person.page.context().cookies()
    await person.press('Sign out')
    await person.seesHeading('Runwright console')
    await tab.sees('You signed out in another tab.')
    expect(await person.page.context().cookies()).toEqual([])
    const stolen = new Caller(service.url, null)
    const headers = { cookie: `${cookie?.name}=${cookie?.value}`, 'x-runwright-console': '1' }
    expect((await stolen.send({ method: 'GET', path: '/v1/runs', headers })).status).toBe(401)
  })

  test('a sign-out that does not reach the service leaves one signed in, and says so', async () => {
    const person = await arrive()
    await signInForBrowser(person)
    await person.page.route('**/console/session', (route) => route.abort())
    await person.press('Sign out')
    await person.sees('No response from the service')
    await person.seesHeading('Runs')
    await person.page.unroute('**/console/session')
    await person.press('Sign out')
    await person.seesHeading('Runwright console')
  })

  test('a sign-in in one tab signs in the tabs that wait, and changes those of another key', async () => {
    const { key } = await newKey({ name: 'second', scopes: ['runs:read'] })
    const person = await arrive()
    const tab = await openTab(person)
    await tab.seesHeading('Runwright console')
    await signInForBrowser(person)
    await tab.seesHeading('Runs')
    // A page without streams: a browser opens six connections to a host, and the two tabs need four.
    const third = await openTab(person)
    await third.page.goto(`${service.url}/docs/`)
    await third.page.evaluate(
      `fetch('../console/session', { method: 'POST', body: ${JSON.stringify(JSON.stringify({ api_key: key }))},
        headers: { 'content-type': 'application/json', 'x-runwright-console': '1' } })
        .then(() => new BroadcastChannel('runwright.session').postMessage('signed-in'))`,
    )
    await tab.page.getByText('second').waitFor()
    await person.page.getByText('second').waitFor()
  })

  test('a revoked key ends the session, with the reason', async () => {
    const { id, key } = await newKey({ scopes: ['runs:read'] })
    const person = await arrive()
    await signInForBrowser(person, key)
    await caller.send({ method: 'DELETE', path: `/v1/keys/${id}` })
    await person.page.reload()
    await person.seesHeading('Runwright console')
  })

  test('a wrong key is refused with the reason, and nothing is kept', async () => {
    const person = await arrive()
    await person.page.getByLabel('Keep me signed in on this browser').check()
    await person.signIn('key_acme:wrong')
    await person.sees(/API_KEY_INVALID · request req_/)
    expect(await person.page.context().cookies()).toEqual([])
  })
})

describe('a sign-in link', () => {
  test('signs in, once, and the code leaves the URL and the history', async () => {
    const code = signInCodes.issue()
    const person = await arrive()
    await person.page.goto('about:blank')
    await person.goTo(`#/sign-in?code=${code}`)
    await person.seesHeading('Runs')
    expect(person.page.url()).toBe(`${service.url}/console/#/runs`)
    expect(person.requests.filter((url) => url.includes(code))).toEqual([])
    await person.press('Sign out')
    await person.page.goto('about:blank')
    await person.goTo(`#/sign-in?code=${code}`)
    await person.sees('This sign-in link was used or has expired.')
    expect(person.page.url()).toBe(`${service.url}/console/#/`)
    await person.hasNoAxeFindings()
  })

  test('of the command open is a fresh one each time, and leads to the run', async () => {
    const { id } = await caller.newRun()
    const open = async (...args: string[]): Promise<string> => {
      const terminal = new Terminal(environmentOf(service), { isTTY: false })
      await terminal.run('open', ...args)
      return terminal.output.trim()
    }
    const links = [await open(id), await open(id), await open()]
    expect(new Set(links.map((link) => /#\/sign-in\?code=([\w-]{43})/.exec(link)?.[1])).size).toBe(3)
    for (const [index, link] of links.entries()) {
      const person = await arrive()
      await person.page.goto('about:blank')
      await person.page.goto(link)
      if (index === 2) await person.seesHeading('Runs')
      else await person.page.getByRole('tab', { name: 'Steps' }).waitFor()
      expect(person.page.url()).toBe(`${service.url}/console/#/runs${index === 2 ? '' : `/${id}`}`)
    }
  })

  test('works in a tab that shows the console', async () => {
    const { key } = await newKey({ name: 'replaced-by-link', scopes: ['runs:read'] })
    const person = await arrive()
    await person.signIn(key)
    const account = person.page.getByText('replaced-by-link')
    await account.waitFor()
    await person.goTo(`#/sign-in?code=${signInCodes.issue()}`)
    await account.waitFor({ state: 'detached' })
    await person.seesHeading('Runs')
    expect(await person.page.evaluate('sessionStorage.length')).toBe(0)
    expect(person.page.url()).not.toContain('code')
  })
})

test('the menu says who is signed in', async () => {
  const { id, key } = await newKey({ name: 'Ada on the laptop', scopes: ['runs:read', 'runs:signal'] })
  const person = await arrive()
  await signInForBrowser(person, key)
  await person.page.getByText('Ada on the laptop').click()
  const menu = person.page.getByRole('group').filter({ hasText: 'Customer' })
  expect(await menu.innerText()).toMatch(
    new RegExp(
      `Customer\\s+acme\\s+Key\\s+${id}\\s+Scopes\\s+runs:read, runs:signal\\s+Signed in\\s+on this browser, until`,
    ),
  )
  await person.hasNoAxeFindings()
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive({ ...phone, colorScheme })
  await person.page.getByLabel('Keep me signed in on this browser').check()
  await person.takePicture(`rest-sign-in-${colorScheme}`)
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
