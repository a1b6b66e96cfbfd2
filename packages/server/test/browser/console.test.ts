// The console in a browser, against the whole service: the door, the list, the forms, and what a narrow screen shows.
import { randomUUID } from 'node:crypto'
import type { KeyWithSecret } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { removeWorker, showWorker } from '../../src/store/runs/workers.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive: arriveAt, arriveSignedOut: arrive } = await openConsole()

const arriveSignedIn = async (key = service.key, options: BrowserContextOptions = {}): Promise<Visitor> => {
  const visitor = await arriveAt({ key, options })
  await visitor.seesHeading('Runs')
  return visitor
}

/** A key of customer `acme` with these scopes only. */
const narrowKey = async (scopes: string[]): Promise<{ id: string; key: string }> => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes })).json<KeyWithSecret>()
  return { id: key.id, key: `${key.id}:${secret}` }
}

describe('signing in', () => {
  test('text that cannot be a key is not sent', async () => {
    const person = await arrive()
    await person.signIn('not a key')
    await person.sees('An API key has the form key_id:secret')
    expect(person.requests.filter((url) => url.includes('/v1/'))).toEqual([])
  })

  test('a wrong key is refused with the reason and the request id', async () => {
    const person = await arrive()
    await person.signIn('key_acme:wrong')
    await person.sees('The service refused this key')
    await person.sees(/API_KEY_INVALID · request req_/)
  })

  test('a right key opens the list and is kept in the session of the tab alone', async () => {
    const person = await arriveSignedIn()
    const { page } = person
    const [, secret = ''] = service.key.split(':')
    expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([service.key])
    expect(await page.evaluate('localStorage.length')).toBe(0)
    expect(await page.context().cookies()).toEqual([])
    expect([page.url(), ...person.requests].filter((url) => url.includes(secret))).toEqual([])
  })

  test('a reload stays signed in; signing out forgets the key', async () => {
    const person = await arriveSignedIn()
    await person.page.reload()
    await person.seesHeading('Runs')
    await person.press('Sign out')
    await person.seesHeading('Runwright console')
    expect(await person.page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('a key that may not read runs is told so, and opens what it may', async () => {
    const { key } = await narrowKey(['usage:read'])
    const person = await arriveSignedIn(key)
    await person.sees('This key has no permission')
    await person.sees(/SCOPE_DENIED · request req_/)
    await person.page.getByRole('link', { name: 'Usage' }).click()
    await person.seesHeading('Usage')
  })

  test('a key that is revoked signs out, with a word why', async () => {
    const { id, key } = await narrowKey(['runs:read'])
    const person = await arriveSignedIn(key)
    await caller.send({ method: 'DELETE', path: `/v1/keys/${id}` })
    await person.goTo('#/agents')
    await person.sees(/You were signed out\. .*revoked/)
    expect(await person.page.evaluate('sessionStorage.length')).toBe(0)
  })
})

test('a run that does not exist is told with the request id', async () => {
  const person = await arriveSignedIn()
  await person.goTo('#/runs/run_nothing')
  await person.sees('Not found')
  await person.sees(/RUN_NOT_FOUND · request req_/)
})

describe('creating a run', () => {
  test('the example is accepted and leads to the run', async () => {
    const person = await arriveSignedIn()
    await person.page.getByRole('link', { name: 'New run' }).click()
    await person.page.getByLabel('Workspace (optional)').fill('made-here')
    await person.press('Create run')
    await person.page.getByRole('tab', { name: 'Steps' }).waitFor()
    const [id = ''] = /run_\w+/.exec(person.page.url()) ?? []
    expect(await caller.run(id)).toMatchObject({ id, workspace_id: 'made-here' })
  })

  test('text that is no JSON is not sent', async () => {
    const person = await arriveSignedIn()
    await person.goTo('#/create')
    await person.page.getByLabel('Input').fill('{"task": }')
    await person.press('Create run')
    await person.sees('This is not valid JSON')
  })

  test('a refusal is shown as the service words it', async () => {
    const person = await arriveSignedIn()
    await person.goTo('#/create')
    await person.page.getByLabel('Input').fill('{"password":"hunter22"}')
    await person.press('Create run')
    await person.sees(/INPUT_SENSITIVITY_TAG_REQUIRED · request req_/)
  })

  test('a key that was used before leads to the run it made', async () => {
    const person = await arriveSignedIn()
    const create = async () => {
      await person.goTo('#/create')
      await person.page.getByLabel('Idempotency key').fill('twice')
      await person.press('Create run')
    }
    await create()
    await person.page.getByRole('tab', { name: 'Steps' }).waitFor()
    const [id = ''] = /run_\w+/.exec(person.page.url()) ?? []
    await create()
    await person.sees('This key was already used')
    await person.page.getByRole('link', { name: id }).waitFor()
  })
})

test('versions, database, queue, workers and paused models are shown', async () => {
  const worker = { id: randomUUID(), places: 8, breakers: [{ model: 'sold/out', failures: 5, retryInMs: 60_000 }] }
  await showWorker(service.database, worker)
  const person = await arriveSignedIn()
  await person.goTo('#/system')
  await person.sees('The service accepts requests.')
  const panel = (name: string) => person.page.getByRole('region', { name }).innerText()
  expect(await panel('Service')).toMatch(/Runwright\s+\d+\.\d+\.\d+[\s\S]*Node\.js\s+\d/)
  expect(await panel('Database')).toMatch(/ok\s+Engine\s+postgresql\s+Version\s+\d/)
  expect(await panel('Queue')).toMatch(/Queued runs\s+\d/)
  expect(await panel('Workers')).toMatch(/Processes\s+1\s+Busy places\s+0 of 8/)
  expect(await panel('Models')).toContain('sold/out failed 5 times')
  await person.hasNoAxeFindings()
  await person.takePicture('rest-system')
  await removeWorker(service.database, worker.id)
})

test('everything can be reached with the keyboard alone', async () => {
  const run = await caller.newRun()
  const { page } = await arrive()
  await page.getByLabel('API key').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type(service.key)
  await page.keyboard.press('Enter')
  const link = page.getByRole('link', { name: run.id })
  await link.waitFor()
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    if (await page.locator('a:focus', { hasText: run.id }).count()) break
  }
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Steps' }).waitFor()
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
})

/** What is wider than the screen, clipped or not, but for regions that are made to scroll. */
const stickingOut = `[...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth && !element.closest('section[tabindex]'))
  .map((element) => element.outerHTML)`

test.each([
  ['#/runs', ':waiting'],
  ['#/runs/:waiting', 'This run is awaiting input'],
  ['#/create', 'Create run'],
  ['#/usage', 'Total'],
  ['#/system', 'postgresql'],
])('%s fits on a phone', async (hash, landmark) => {
  const { id } = await caller.newRun({ workspace_id: 'a-rather-long-name-of-a-workspace-without-a-place-to-break' })
  await driver.toAwaiting(id, { prompt: 'A-rather-long-question-without-a-place-to-break-it-anywhere-at-all?' })
  const person = await arriveSignedIn(service.key, phone)
  await person.goTo(hash.replace(':waiting', id))
  await person.sees(landmark.replace(':waiting', id))
  expect(await person.page.evaluate(stickingOut)).toEqual([])
})
