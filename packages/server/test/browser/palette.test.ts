// The palette and the density of lines, by keyboard alone.
import type { KeyWithSecret, ScheduleResult } from '@runwright/contract'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, arrive: arriveAt } = await openConsole()

const arrive = async (hash = '#/runs', options = {}): Promise<Visitor> => {
  const person = await arriveAt({ hash, options })
  await person.page.getByRole('heading', { level: 1 }).waitFor()
  return person
}

const open = async ({ page }: Visitor) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Go to a page/ }).waitFor()
}

const chosen = ({ page }: Visitor) => page.locator('[role=option][aria-selected=true]')

test('leads to a page, and its content has the focus', async () => {
  const person = await arrive()
  await open(person)
  await person.page.keyboard.type('sys')
  await expect.poll(() => chosen(person).innerText()).toContain('System')
  await person.takePicture('palette')
  await person.hasNoAxeFindings()
  await person.page.keyboard.press('Enter')
  await person.seesHeading('System')
  expect(await person.page.getByRole('dialog').count()).toBe(0)
  expect(await person.page.evaluate('document.activeElement.tagName')).toBe('MAIN')
})

test('leads to a run by words of its title, and by its id', async () => {
  const { id } = await caller.newRun({ metadata: { title: 'Order 24 chairs' } })
  const person = await arrive('#/system')
  await open(person)
  await person.page.keyboard.type('chairs order')
  await person.page.getByRole('option', { name: /Order 24 chairs/ }).waitFor()
  await person.page.keyboard.press('Enter')
  await person.seesHeading('Order 24 chairs')
  await person.goTo('#/system')
  await person.seesHeading('System')
  await open(person)
  // An id needs no search.
  await person.page.keyboard.insertText(id)
  await person.page.keyboard.press('Enter')
  await person.seesHeading('Order 24 chairs')
})

test('leads to a tool that can be tried', async () => {
  const person = await arrive()
  await open(person)
  await person.page.keyboard.type('calculator')
  await person.page.getByRole('option', { name: /calculator/ }).waitFor()
  await person.page.keyboard.press('Enter')
  await expect.poll(() => person.page.url()).toContain('#/tools/')
})

const setUp = async () => {
  const run = { input: { goal: 'Look.' }, metadata: {} }
  const body = { cron: '0 9 * * *', time_zone: 'UTC', run }
  const { schedule } = (await caller.post('/v1/schedules', { ...body, name: 'Zebra report' })).json<ScheduleResult>()
  await caller.post('/v1/webhooks', { url: 'https://zebra.example/hook', event_types: ['run.limit_exceeded'] })
  await caller.post('/v1/keys', { name: 'zebra-robot', scopes: ['runs:read'] })
  const gone = (await caller.post('/v1/keys', { name: 'zebra-gone', scopes: ['runs:read'] })).json<KeyWithSecret>()
  await caller.send({ method: 'DELETE', path: `/v1/keys/${gone.key.id}` })
  const budget = { period: 'day', tokens: 5_000 }
  await caller.send({ method: 'PUT', path: '/v1/budgets/workspaces/zebra', body: budget })
  return schedule.id
}

test('leads to what the customer has set up, by name, as far as the key may read it', async () => {
  const id = await setUp()
  const person = await arrive('#/system')
  const options = () => person.page.getByRole('option', { name: /zebra/i }).allInnerTexts()
  await open(person)
  expect(await options()).toEqual([])
  await person.page.keyboard.type('zebra')
  await expect
    .poll(async () => (await options()).map((text) => text.replaceAll('\n', ' ')))
    .toEqual([
      expect.stringMatching(/^Schedules: Zebra report/),
      expect.stringMatching(/^Keys: zebra-robot/),
      expect.stringMatching(/^Budgets: Workspace zebra/),
      expect.stringContaining('https://zebra.example/hook'),
    ])
  await person.takePicture('palette-set-up')
  await person.hasNoAxeFindings()
  await person.page.keyboard.press('Enter')
  await person.seesHeading('Zebra report')
  expect(person.page.url()).toContain(id)

  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  await person.bringKey(`${key.id}:${secret}`)
  await person.goTo('#/runs')
  await person.seesHeading('Runs')
  await open(person)
  await person.page.keyboard.type('zebra')
  await expect.poll(options).toEqual([expect.stringContaining('Zebra report')])
  const asked = person.requests.splice(0).filter((url) => /v1\/(keys|webhooks|budgets)\?limit/.test(url))
  expect(asked).toHaveLength(3)
})

test('the arrow keys go round, Escape and Ctrl+K close, and the focus returns', async () => {
  const person = await arrive()
  const { keyboard } = person.page
  await person.page.getByRole('link', { name: 'Usage', exact: true }).focus()
  await open(person)
  // The tools are the last to come.
  await person.page.getByRole('option', { name: /calculator/ }).waitFor()
  const first = await chosen(person).innerText()
  await keyboard.press('ArrowUp')
  expect(await chosen(person).innerText()).toContain('Tools:')
  await keyboard.press('ArrowDown')
  expect(await chosen(person).innerText()).toBe(first)
  await keyboard.press('Escape')
  await person.page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await person.page.locator(':focus').innerText()).toBe('Usage')
  await open(person)
  await keyboard.type('nothing has this name')
  await person.sees('Nothing matches.')
  await keyboard.press('Enter')
  await keyboard.press('Control+k')
  await person.page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('opens also while the one before is being closed', async () => {
  const person = await arrive()
  await open(person)
  await person.page.keyboard.type('sys')
  // The browser tells the page of a closed dialog a moment later.
  await person.page.evaluate(`document.querySelector('dialog[open]').close()
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))`)
  await expect.poll(() => person.page.getByRole('combobox', { name: /^Go to a page/ }).inputValue()).toBe('')
})

test('opens while one types in a field, and never above another dialog', async () => {
  const person = await arrive()
  await person.page.keyboard.press('/')
  await open(person)
  await person.page.keyboard.press('Escape')
  await person.page.getByRole('dialog').waitFor({ state: 'detached' })
  await person.page.locator('main').focus()
  await person.page.keyboard.press('?')
  await person.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await person.page.keyboard.press('Control+k')
  expect(await person.page.getByRole('dialog').count()).toBe(1)
})

test('on a phone, it opens from the menu and fits on the screen', async () => {
  const person = await arrive('#/runs', phone)
  await person.press('Menu')
  await person.page.getByRole('button', { name: /^Go to…/ }).click()
  await person.page.getByRole('combobox').waitFor()
  await person.fitsOnScreen()
  await person.press('Close')
  await person.page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('compact lines are chosen by the palette, kept by this browser, and given back', async () => {
  for (let n = 0; n < 3; n += 1) await caller.newRun({ metadata: { title: `Run ${n}` } })
  const person = await arrive()
  const row = person.page.locator('tbody tr').first()
  await row.waitFor()
  const height = async () => (await row.boundingBox())?.height ?? 0
  const before = await height()
  await open(person)
  await person.page.keyboard.type('compact')
  await person.page.keyboard.press('Enter')
  await expect.poll(height).toBeLessThan(before * 0.9)
  await person.page.reload()
  await row.waitFor()
  expect(await height()).toBeLessThan(before * 0.9)
  await person.takePicture('compact')
  await person.hasNoAxeFindings()
  const button = person.page.getByRole('button', { name: 'Compact lines' })
  expect(await button.getAttribute('aria-pressed')).toBe('true')
  await button.press('Space')
  await expect.poll(height).toBe(before)
  expect(await person.page.evaluate('localStorage.length')).toBe(0)
})
