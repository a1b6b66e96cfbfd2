// The list of runs in a browser, against the whole service: it changes by itself, is filtered, and read by keyboard.
import type { KeyWithSecret } from '@runwright/contract'
import type { Locator, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

/** A run with a title, in a workspace of its own, so that each test has its own list. */
const newRun = (workspace_id: string, title: string, more: object = {}) =>
  caller.newRun({ workspace_id, metadata: { title }, ...more })

const titles = ({ page }: Visitor) => page.locator('tbody a').allInnerTexts()

const listIs = (person: Visitor, expected: readonly string[]) => expect.poll(() => titles(person)).toEqual(expected)

const hasFocus = (element: Locator) => element.and(element.page().locator(':focus')).waitFor()

const readOnlyKey = async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  return { id: key.id, key: `${key.id}:${secret}` }
}

describe('the list', () => {
  test('shows title, id, status, tokens, labels and class', async () => {
    const run = await newRun('shelf', 'Order 24 office chairs', { subject_id: 'ada', run_class: 'long' })
    await driver.progress(run.id, { events: [], tokens: 1893 })
    const person = await arrive({ hash: '#/runs?workspace_id=shelf' })
    const row = person.page.getByRole('row').filter({ hasText: run.id })
    await row.waitFor()
    expect(await row.innerText()).toMatch(/^\s*Order 24 office chairs\s+run_\w+ · class long\s+running/)
    expect(await row.innerText()).toMatch(/1,893\s+shelf\s+ada\s+just now$/)
  })

  test('changes by itself: a run appears, waits, leaves when it no longer matches, and returns unselected', async () => {
    const person = await arrive({ hash: '#/runs?workspace_id=alive' })
    await person.sees('No run matches.')
    await person.page.keyboard.press('?')
    await person.page.getByRole('dialog').getByText('Search', { exact: true }).waitFor()
    expect(await person.page.getByRole('dialog').getByText('Next run').count()).toBe(0)
    await person.page.keyboard.press('Escape')
    const { id } = await newRun('alive', 'First')
    await listIs(person, ['First'])
    const state = person.page.getByRole('row').filter({ hasText: id })
    await driver.toAwaiting(id)
    await expect.poll(() => state.innerText()).toContain('awaiting input')
    await newRun('alive', 'Second')
    await listIs(person, ['Second', 'First'])
    await person.page.getByRole('navigation', { name: 'Filter by status' }).getByText('awaiting input').click()
    await listIs(person, ['First'])
    await person.page.getByLabel('Select First').check()
    await caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })
    await person.sees('No run matches.')
    // A run that left the list has left the selection.
    await driver.toAwaiting(id)
    await listIs(person, ['First'])
    expect(await person.page.getByLabel('Select First').isChecked()).toBe(false)
  })

  test('loads older runs, keeps them beside the live ones, and leaves no gap when new runs arrive', async () => {
    for (let n = 1; n <= 52; n += 1) await newRun('many', `Run ${n}`)
    const person = await arrive({ hash: '#/runs?workspace_id=many' })
    const newestFirst = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => `Run ${from - n}`)
    await listIs(person, newestFirst(52, 3))
    // One older run at first, so that there are more to load.
    const oneRun = (route: Route) => route.continue({ url: route.request().url().replace('limit=50', 'limit=1') })
    await person.page.route('**/v1/runs?*cursor=*', oneRun, { times: 1 })
    const load = person.page.getByRole('button', { name: 'Load older runs' })
    // At the lower edge of the screen: the new row moves it out of view.
    await load.evaluate((button: { scrollIntoView(atTop: boolean): void }) => button.scrollIntoView(false))
    await person.doesNotScroll(async () => {
      await load.click()
      await listIs(person, newestFirst(52, 2))
    })
    await load.click()
    await listIs(person, newestFirst(52, 1))
    expect(await load.count()).toBe(0)
    await hasFocus(person.page.getByRole('region', { name: 'Older runs' }))
    // The last of the live ones becomes an older one. It stays selected, and has the focus.
    const last = person.page.getByLabel('Select Run 3', { exact: true })
    await last.check()
    await newRun('many', 'Run 53')
    await listIs(person, newestFirst(53, 1))
    expect(await last.isChecked()).toBe(true)
    await hasFocus(last)
  })
})

describe('filters', () => {
  test('stand in the URL, and the back button undoes them one by one', async () => {
    const [failed, queued] = [await newRun('narrow', 'Failed one'), await newRun('narrow', 'Queued one')]
    await driver.toFailed(failed.id, 'provider_quota')
    const person = await arrive({ hash: '#/runs?workspace_id=narrow' })
    const { page } = person
    await listIs(person, ['Queued one', 'Failed one'])
    await page.getByRole('navigation', { name: 'Filter by status' }).getByText('Failed').click()
    await listIs(person, ['Failed one'])
    await person.press('More filters')
    await page.getByLabel('Error', { exact: true }).fill('provider_auth')
    await person.press('Apply')
    await person.sees('No run matches.')
    expect(page.url()).toMatch(/status=failed/)
    await page.goBack()
    await listIs(person, ['Failed one'])
    expect(await page.getByLabel('Error', { exact: true }).inputValue()).toBe('')
    await page.goBack()
    await listIs(person, ['Queued one', 'Failed one'])
    expect(queued.id).toContain('run_')
  })

  test('of workspace, subject, class, error and time apply together, and each is removed by a click', async () => {
    const wanted = await newRun('all', 'Wanted', { subject_id: 'ada', run_class: 'long' })
    await driver.toFailed(wanted.id, 'provider_quota')
    await newRun('all', 'Other subject', { subject_id: 'bob' })
    const person = await arrive()
    const { page } = person
    await person.press('More filters')
    await page.getByLabel('Workspace', { exact: true }).fill('all')
    await page.getByLabel('Subject', { exact: true }).fill('ada')
    await page.getByLabel('Error', { exact: true }).fill('provider_quota')
    await page.getByLabel('Class', { exact: true }).selectOption('long')
    await page.getByLabel('Error', { exact: true }).press('Enter')
    await listIs(person, ['Wanted'])
    await page.getByLabel('Created', { exact: true }).selectOption('Last hour')
    await listIs(person, ['Wanted'])
    const inUse = page.getByRole('list', { name: 'Filters in use' })
    for (const name of ['Subject: ada', 'Error: provider_quota', 'Class: long'])
      await inUse.getByRole('link', { name }).click()
    await listIs(person, ['Other subject', 'Wanted'])
    await person.press('More filters')
    await inUse.getByRole('link', { name: 'Clear all' }).click()
    await expect.poll(() => page.url()).toMatch(/#\/runs$/)
  })

  test('a range of time leaves out what was created before it', async () => {
    await newRun('range', 'Now')
    const person = await arrive({ hash: '#/runs?workspace_id=range' })
    await listIs(person, ['Now'])
    await person.press('More filters')
    await person.page.getByLabel('Created before').fill('2020-01-01T00:00')
    await person.press('Apply')
    await person.sees('No run matches.')
    await person.sees('Until 2020-01-01 00:00:00 UTC')
  })

  test('a search finds words of the title and the beginning of an id', async () => {
    const { id } = await newRun('find', 'Compare two offers')
    await newRun('find', 'Something else')
    const person = await arrive({ hash: '#/runs?workspace_id=find' })
    const field = person.page.getByRole('searchbox', { name: 'Search by title or id' })
    await field.fill('OFFERS')
    await field.press('Enter')
    await listIs(person, ['Compare two offers'])
    expect(await person.page.locator(':focus').getAttribute('aria-label')).toBe('Search by title or id')
    await field.fill(id.slice(0, 20))
    await field.press('Enter')
    await expect.poll(() => titles(person)).toContain('Compare two offers')
  })
})

describe('a row', () => {
  /** Whether this opens a tab, and leaves the page as it is. */
  const opensTab = async ({ page }: Visitor, open: () => Promise<void>): Promise<boolean> => {
    const before = page.url()
    const [tab] = await Promise.all([page.context().waitForEvent('page'), open()])
    await tab.close()
    return page.url() === before
  }

  /** Where a click on the middle of the element leads. */
  const linkAt = async ({ page }: Visitor, cell: Locator) => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await cell.boundingBox()) ?? {}
    return page.evaluate(`document.elementFromPoint(${x + width / 2}, ${y + height / 2}).closest('a')?.href`)
  }

  test('is a link at every point: a click opens the run, Ctrl-click and the middle button a new tab', async () => {
    const { id } = await newRun('links', 'Link')
    const person = await arrive({ hash: '#/runs?workspace_id=links' })
    await listIs(person, ['Link'])
    // Forced: what is under the pointer is the link, not the cell.
    const tokens = person.page.locator('tbody td').nth(4)
    expect(await linkAt(person, tokens)).toContain(`#/runs/${id}`)
    expect(await opensTab(person, () => tokens.click({ modifiers: ['ControlOrMeta'], force: true }))).toBe(true)
    expect(await opensTab(person, () => tokens.click({ button: 'middle', force: true }))).toBe(true)
    await tokens.click({ force: true })
    await expect.poll(() => person.page.url()).toContain(`#/runs/${id}`)
  })

  test('is reached, selected and opened with the keyboard alone', async () => {
    const runs = [await newRun('keys', 'One'), await newRun('keys', 'Two'), await newRun('keys', 'Three')]
    const person = await arrive({ hash: '#/runs?workspace_id=keys' })
    await listIs(person, ['Three', 'Two', 'One'])
    const { keyboard } = person.page
    const focused = () => person.page.locator(':focus').innerText()
    await keyboard.press('j')
    await keyboard.press('j')
    await keyboard.press('j')
    await keyboard.press('j')
    expect(await focused()).toBe('One')
    await keyboard.press('k')
    expect(await focused()).toBe('Two')
    await keyboard.press('x')
    await person.sees('1 run selected')
    await keyboard.press('?')
    for (const label of ['Next run', 'Open the run', 'Select the run', 'Search'])
      await person.page.getByRole('dialog').getByText(label, { exact: true }).waitFor()
    await keyboard.press('Escape')
    await keyboard.press('/')
    expect(await person.page.locator(':focus').getAttribute('type')).toBe('search')
    await person.page.getByRole('link', { name: 'Two' }).focus()
    await keyboard.press('Enter')
    await expect.poll(() => person.page.url()).toContain(`#/runs/${runs[1]?.id}`)
  })

  test('that waits is answered in the inbox, by "a"', async () => {
    const { id } = await newRun('asks', 'Asks')
    await driver.toAwaiting(id, { prompt: 'Pay 1,146.00?' })
    const person = await arrive({ hash: '#/runs?workspace_id=asks' })
    await listIs(person, ['Asks'])
    await person.page.keyboard.press('j')
    await person.page.keyboard.press('a')
    await person.seesHeading('Inbox')
    await person.page.getByRole('heading', { level: 2, name: 'Asks' }).waitFor()
  })
})

describe('without runs', () => {
  test('a first run is created in one click, from three courses', async () => {
    const person = await arrive({ key: service.otherKey })
    await person.sees('No runs yet.')
    expect(await person.page.getByRole('button', { name: /^Run it: / }).count()).toBe(3)
    await person.hasNoAxeFindings()
    await person.takePicture('lists-first-run')
    await person.page
      .getByRole('button', { name: /^Run it: / })
      .first()
      .click()
    await expect.poll(() => person.page.url()).toMatch(/#\/runs\/run_/)
    const [id = ''] = /run_\w+/.exec(person.page.url()) ?? []
    expect((await new Caller(service.url, service.otherKey).run(id)).status).toBe('queued')
  })
})

describe('keys', () => {
  test('a key that may only read selects and cancels nothing', async () => {
    await newRun('look', 'Look')
    const { key } = await readOnlyKey()
    const person = await arrive({ key, hash: '#/runs?workspace_id=look' })
    await listIs(person, ['Look'])
    await expect.poll(() => person.page.getByRole('checkbox').count()).toBe(0)
  })
})

describe('a page that nobody touches', () => {
  /** What the browser receives, headers and streams included. */
  const countBytes = async ({ page }: Visitor) => {
    const devTools = await page.context().newCDPSession(page)
    let bytes = 0
    devTools.on('Network.dataReceived', ({ encodedDataLength }) => {
      bytes += Math.max(0, encodedDataLength)
    })
    devTools.on('Network.responseReceivedExtraInfo', ({ headersText, headers }) => {
      bytes += (headersText ?? JSON.stringify(headers)).length
    })
    await devTools.send('Network.enable')
    return () => bytes
  }

  test('receives at most 2 kB a second, with 50 runs on it, and still shows what is new', async () => {
    for (let n = 1; n <= 50; n += 1) await newRun('idle', `Idle ${n}`)
    const person = await arrive({ hash: '#/runs?workspace_id=idle' })
    await expect.poll(async () => (await titles(person)).length).toBe(50)
    const received = await countBytes(person)
    // The figure is a rate, so this waits for time and nothing else.
    await person.page.evaluate('new Promise((resolve) => setTimeout(resolve, 6_000))')
    expect(received()).toBeLessThanOrEqual(12_000)
    await newRun('idle', 'News')
    await expect.poll(async () => (await titles(person))[0]).toBe('News')
    expect(received()).toBeGreaterThan(100)
    // One stream for the list. A browser opens only six connections to a host, for all its tabs.
    expect(person.requests.filter((url) => url.includes('/stream'))).toHaveLength(1)
  })
})

describe('everywhere', () => {
  const prepare = async (workspace: string) => {
    const [waits, fails, done, runs] = [
      await newRun(workspace, 'Order 24 office chairs', { subject_id: 'ada' }),
      await newRun(workspace, 'Summarise the contract with Nordsitz', { run_class: 'long' }),
      await newRun(workspace, 'A guide to moving house, room by room, with a list of what to pack first and why'),
      await caller.newRun({ workspace_id: workspace, subject_id: 'a-rather-long-subject-without-a-place-to-break' }),
    ]
    await driver.toAwaiting(waits.id, { prompt: 'Order the chairs?' })
    await driver.toFailed(fails.id)
    await driver.toSucceeded(done.id)
    await driver.progress(runs.id, { events: [], tokens: 48_210 })
    await newRun(workspace, 'Triage ticket 4711')
  }

  test.each(['light', 'dark'] as const)('axe has no findings, in %s', async (colorScheme) => {
    await prepare(`axe-${colorScheme}`)
    const person = await arrive({ hash: `#/runs?workspace_id=axe-${colorScheme}`, options: { colorScheme } })
    await person.sees('Triage ticket 4711')
    await person.page.keyboard.press('j')
    await person.page.keyboard.press('x')
    await person.press('More filters')
    await person.takePicture(`lists-runs-${colorScheme}`)
    await person.hasNoAxeFindings()
    await person.press('Cancel 1 run')
    await person.takePicture(`lists-cancel-${colorScheme}`)
    await person.hasNoAxeFindings()
  })

  test('nothing is wider than a phone', async () => {
    await prepare('phone')
    const person = await arrive({ hash: '#/runs?workspace_id=phone', options: phone })
    await person.sees('Triage ticket 4711')
    await person.fitsOnScreen()
    await person.press('More filters')
    await person.page
      .getByRole('checkbox', { name: /^Select [^a]/ })
      .first()
      .check()
    await person.takePicture('lists-runs-phone')
    await person.fitsOnScreen()
    await person.hasNoAxeFindings()
  })
})
