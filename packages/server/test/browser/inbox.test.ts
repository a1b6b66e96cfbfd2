// The inbox in a browser, against the whole service: what waits appears by itself, is answered with the mouse or the
// keyboard, and two people at once do not overwrite each other.
import type { KeyWithSecret, RunList } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive: arriveAt } = await openConsole()

// The next test begins with an empty inbox.
afterEach(async () => {
  const { runs } = (await caller.get('/v1/runs')).json<RunList>()
  for (const { id } of runs) await caller.post(`/v1/runs/${id}/cancel`)
})

const waitingRun = async (title: string, prompt: string): Promise<string> => {
  const { id } = await caller.newRun({ metadata: { title } })
  await driver.toAwaiting(id, { prompt })
  return id
}

const arrive = (hash = '#/inbox', options: BrowserContextOptions = {}, key = service.key): Promise<Visitor> =>
  arriveAt({ hash, options, key })

const list = ({ page }: Visitor) => page.getByRole('list', { name: 'Awaiting input, oldest first' })

const questions = async (person: Visitor) =>
  (await list(person).getByRole('link').allInnerTexts()).map((text) => /.*\?/.exec(text)?.[0])

const statusOf = async (id: string) => (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json()

test('what begins to wait appears by itself, oldest first, and is counted in the title and the navigation', async () => {
  const person = await arrive()
  await person.sees('No run awaits input.')
  await waitingRun('Chairs', 'Order 24 chairs?')
  await waitingRun('Invoice', 'Pay 1,146.00?')
  await expect.poll(() => questions(person)).toEqual(['Order 24 chairs?', 'Pay 1,146.00?'])
  await expect.poll(() => person.page.title()).toBe('(2) Inbox · Runwright')
  await person.page.getByRole('link', { name: 'Inbox 2 awaiting input' }).waitFor()
  await person.goTo('#/system')
  await expect.poll(() => person.page.title()).toBe('(2) System · Runwright')
})

test('more than a page of waits: the oldest comes first, and the others on request', async () => {
  // Of another customer, so that the inbox of the other tests stays empty.
  const other = new Caller(service.url, service.otherKey)
  const otherDriver = new Driver(service.database, 'other')
  const wait = async (title: string, prompt: string) => {
    const { id } = await other.newRun({ metadata: { title } })
    await otherDriver.toAwaiting(id, { prompt })
    return id
  }
  const oldest = await wait('Oldest', 'First?')
  await Promise.all(Array.from({ length: 200 }, (_, n) => wait(`Run ${n}`, 'Next?')))
  const person = await arrive('#/inbox', {}, service.otherKey)
  await person.page.getByRole('heading', { level: 2, name: 'Oldest' }).waitFor()
  expect(await list(person).getByRole('link').count()).toBe(100)
  expect((await questions(person))[0]).toBe('First?')
  await person.press('Show 100 more')
  await person.press('Show 1 more')
  expect(await list(person).getByRole('link').count()).toBe(201)
  await expect.poll(() => person.page.title()).toBe('(201) Inbox · Runwright')
  await person.press('Approve')
  await person.sees('Approved.')
  expect((await other.get(`/v1/runs/${oldest}?include=awaiting_input`)).json()).toMatchObject({ awaiting_input: null })
}, 90_000)

test('an approval keeps its record on the page, and the next question is opened by a press of its own', async () => {
  const first = await waitingRun('Chairs', 'Order 24 chairs?')
  const second = await waitingRun('Invoice', 'Pay 1,146.00?')
  const person = await arrive()
  await person.page.getByRole('heading', { level: 2, name: 'Chairs' }).waitFor()
  await person.press('Approve')
  await person.page.setViewportSize({ width: 1280, height: 200 })
  await person.page.evaluate('scrollTo(0, 0)')
  await person.doesNotScroll(() => person.sees('Approved.'))
  expect(await statusOf(first)).toMatchObject({ awaiting_input: null })
  expect(await person.page.getByRole('heading', { level: 2, name: 'Chairs' }).isVisible()).toBe(true)
  await person.press('Next question')
  await person.page.getByRole('heading', { level: 2, name: 'Invoice' }).waitFor()
  await expect.poll(() => questions(person)).toEqual(['Pay 1,146.00?'])
  expect(await statusOf(second)).toMatchObject({ awaiting_input: { prompt: 'Pay 1,146.00?' } })
})

test('with the keyboard alone: j and k choose, a approves once, r rejects with a reason', async () => {
  const [first, second] = [await waitingRun('Chairs', 'Order?'), await waitingRun('Invoice', 'Pay?')]
  const person = await arrive()
  const { keyboard } = person.page
  await person.page.getByRole('heading', { level: 2, name: 'Chairs' }).waitFor()
  await keyboard.press('j')
  await person.page.getByRole('heading', { level: 2, name: 'Invoice' }).waitFor()
  await keyboard.press('k')
  await person.page.getByRole('heading', { level: 2, name: 'Chairs' }).waitFor()
  await person.canAnswer()
  await keyboard.press('a')
  await person.sees('Approved.')
  await keyboard.press('a')
  expect(await statusOf(second)).toMatchObject({ awaiting_input: { prompt: 'Pay?' } })
  expect(await statusOf(first)).toMatchObject({ awaiting_input: null })
  await keyboard.press('j')
  await person.page.getByRole('heading', { level: 2, name: 'Invoice' }).waitFor()
  await person.canAnswer()
  await keyboard.press('r')
  await person.page.getByLabel('Why do you reject it?').fill('Paid already')
  await person.page.getByRole('button', { name: 'Reject and fail the run' }).click()
  await person.sees('Rejected.')
  expect(await statusOf(second)).toMatchObject({ status: 'failed' })
})

test('two people at once: the second sees who answered what, and keeps what was entered', async () => {
  const id = await waitingRun('Chairs', 'Order 24 chairs?')
  const { key, secret } = (
    await caller.post('/v1/keys', { name: 'Ada', scopes: ['runs:read', 'runs:signal'] })
  ).json<KeyWithSecret>()
  const slow = await arrive()
  await slow.press('Reject…')
  await slow.page.getByLabel('Why do you reject it?').fill('Too expensive')
  const fast = await arrive('#/inbox', {}, `${key.id}:${secret}`)
  await fast.press('Approve')
  await fast.sees('Approved.')
  await slow.sees('Somebody else answered first.')
  await slow.sees(/Approved by Ada/)
  expect(await slow.page.getByLabel('Why do you reject it?').inputValue()).toBe('Too expensive')
  await slow.takePicture('lists-inbox-late')
  await slow.hasNoAxeFindings()
  await slow.press('Close')
  await slow.sees('No run awaits input.')
  expect(await statusOf(id)).toMatchObject({ awaiting_input: null })
})

test('what was entered is still there after a look at another question', async () => {
  await waitingRun('Chairs', 'Order?')
  await waitingRun('Invoice', 'Pay?')
  const person = await arrive()
  await person.press('Reject…')
  await person.page.getByLabel('Why do you reject it?').fill('Too expensive')
  await list(person).getByRole('link').nth(1).click()
  await person.page.getByRole('heading', { level: 2, name: 'Invoice' }).waitFor()
  await list(person).getByRole('link').nth(0).click()
  await person.page.getByRole('heading', { level: 2, name: 'Chairs' }).waitFor()
  expect(await person.page.getByLabel('Why do you reject it?').filter({ visible: true }).inputValue()).toBe(
    'Too expensive',
  )
})

test('a link to a run that was answered in the meantime says so', async () => {
  const { id } = await caller.newRun()
  const person = await arrive(`#/inbox?run=${id}`)
  await person.sees('This run does not await input.')
})

describe('notifications', () => {
  /** Stands in for the desktop: keeps what would be shown. */
  const desktop = `window.shown = []
    window.Notification = class {
      static permission = 'default'
      static async requestPermission() { return (this.permission = 'granted') }
      constructor(title, options) { window.shown.push([title, options.body]) }
      close() {}
    }`
  const hide = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`

  test('are shown for what begins to wait while the tab is hidden, once a click allowed them', async () => {
    const person = await arrive()
    await person.page.addInitScript(desktop)
    await person.page.clock.install()
    await person.page.reload()
    await waitingRun('Before', 'Old?')
    await person.sees('Old?')
    expect(await person.page.evaluate('Notification.permission')).toBe('default')
    await person.press('Notify me on this computer')
    await person.page.getByRole('button', { name: 'Stop notifications' }).waitFor()
    await person.page.evaluate(hide)
    await waitingRun('Chairs', 'Order 24 chairs?')
    // A hidden tab has no stream: it asks from time to time.
    await person.page.clock.fastForward('01:00')
    await expect.poll(() => person.page.evaluate('window.shown')).toEqual([['Chairs', 'Order 24 chairs?']])
  })

  test('show the beginning of a long question, and no half letter', async () => {
    const person = await arriveAt({
      hash: '#/inbox',
      prepare: async ({ page }) => {
        await page.addInitScript(desktop)
        await page.clock.install()
      },
    })
    await person.press('Notify me on this computer')
    await person.page.getByRole('button', { name: 'Stop notifications' }).waitFor()
    await person.page.evaluate(hide)
    await waitingRun('Chairs', `${'x'.repeat(298)}😀${'y'.repeat(500)}`)
    await person.page.clock.fastForward('01:00')
    await expect.poll(() => person.page.evaluate('window.shown')).toEqual([['Chairs', `${'x'.repeat(298)}…`]])
  })
})

test('a key that may only read sees why before pressing', async () => {
  await waitingRun('Chairs', 'Order?')
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const person = await arrive('#/inbox', undefined, `${key.id}:${secret}`)
  await person.sees('Your key may read this run, but not answer it')
  expect(await person.page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
})

test.each(['light', 'dark'] as const)('axe has no findings, in %s', async (colorScheme) => {
  await waitingRun('Order 24 office chairs', 'Order 24 Ridge chairs from Oakline for €9,405?')
  // Ten and more: axe does not look at the contrast of a single digit.
  for (let n = 1; n < 10; n += 1) await waitingRun(`Check invoice ${n} and prepare its payment`, 'Pay 1,146.00?')
  const person = await arrive('#/inbox', { colorScheme })
  await list(person).getByRole('link').nth(1).waitFor()
  await person.takePicture(`lists-inbox-${colorScheme}`)
  await person.hasNoAxeFindings()
})

test('on a phone, the list leads to a question and back, and nothing is wider than the screen', async () => {
  await waitingRun('Chairs', 'A-rather-long-question-without-a-place-to-break-it-anywhere-at-all?')
  const person = await arrive('#/inbox', phone)
  await list(person).getByRole('link').first().waitFor()
  await person.fitsOnScreen()
  await list(person).getByRole('link').first().click()
  await person.page.getByRole('button', { name: 'Approve' }).waitFor()
  await person.takePicture('lists-inbox-phone')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
  await person.page.getByRole('link', { name: 'All that wait' }).click()
  await list(person).waitFor()
})
