// The frame of the console: navigation, theme, shortcuts, and the size of the first load.
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { arrive: arriveAt } = await openConsole()

const arrive = async (options?: BrowserContextOptions): Promise<Visitor> => {
  const visitor = await arriveAt(options && { options })
  await visitor.seesHeading('Runs')
  return visitor
}

const pages = [
  ['Runs', '#/runs'],
  ['Inbox', '#/inbox'],
  ['New run', '#/create'],
  ['Usage', '#/usage'],
  ['Memory', '#/memory'],
  ['Keys', '#/keys'],
  ['Webhooks', '#/webhooks'],
  ['Agents and tools', '#/agents'],
  ['System', '#/system'],
] as const

test('every page of the navigation opens, is marked as the current one, and has the focus', async () => {
  const { page } = await arrive()
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  for (const [name, hash] of pages.slice(1)) {
    await navigation.getByRole('link', { name, exact: true }).click()
    await expect.poll(() => page.url()).toContain(`/console/${hash}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await navigation.locator('[aria-current=page]').allInnerTexts()).toEqual([name])
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  }
})

test('the browser goes back and forth between pages', async () => {
  const person = await arrive()
  await person.page.getByRole('link', { name: 'System', exact: true }).click()
  await person.seesHeading('System')
  await person.page.goBack()
  await person.seesHeading('Runs')
  await person.page.goForward()
  await person.seesHeading('System')
})

test.each(['#/nothing', '#/%', '#/Runs/x/y'])('%s is not a page, and leads to the runs', async (hash) => {
  const person = await arrive()
  await person.goTo(hash)
  await person.seesHeading('Page not found')
  await person.page.getByRole('link', { name: 'Go to the runs' }).click()
  await person.seesHeading('Runs')
})

describe('the theme', () => {
  const background = 'getComputedStyle(document.body).backgroundColor'
  const light = 'rgb(245, 246, 247)'
  const dark = 'rgb(15, 20, 24)'

  test.each([
    ['light', light],
    ['dark', dark],
  ] as const)('follows the system: %s', async (colorScheme, colour) => {
    const { page } = await arrive({ colorScheme })
    expect(await page.evaluate(background)).toBe(colour)
  })

  test('is switched, remembered, and given back to the system', async () => {
    const { page } = await arrive({ colorScheme: 'light' })
    await page.getByRole('button', { name: 'Dark theme' }).click()
    expect(await page.evaluate(background)).toBe(dark)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(await page.evaluate(background)).toBe(dark)
    await page.getByRole('button', { name: 'Theme of the system' }).click()
    expect(await page.evaluate(background)).toBe(light)
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })
})

describe('the shortcuts', () => {
  test('are listed by ?, and the focus returns to where it was', async () => {
    const { page } = await arrive()
    const link = page.getByRole('link', { name: 'Usage', exact: true })
    await link.focus()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Show the shortcuts').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.locator(':focus').innerText()).toBe('Usage')
  })

  test('do not act while one types', async () => {
    const person = await arrive()
    await person.goTo('#/create')
    await person.page.getByLabel('Workspace (optional)').fill('')
    await person.page.keyboard.type('why?')
    expect(await person.page.getByLabel('Workspace (optional)').inputValue()).toBe('why?')
    expect(await person.page.getByRole('dialog').count()).toBe(0)
  })
})

test('the content is the first thing that Tab reaches', async () => {
  const { page } = await arrive()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
})

test('on a phone, the navigation opens as a menu and closes after the choice', async () => {
  const person = await arrive(phone)
  await person.fitsOnScreen()
  await person.press('Menu')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
  await person.page.getByRole('link', { name: 'System', exact: true }).click()
  await person.seesHeading('System')
  expect(await person.page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false)
})

// The other pages are checked in dark, and with something on them, by the tests of their own.
test.each([
  ['light', pages],
  ['dark', pages.filter(([name]) => name === 'New run')],
] as const)('axe has no findings on an empty page, in %s', async (colorScheme, checked) => {
  const person = await arrive({ colorScheme })
  for (const [name, hash] of checked) {
    await person.goTo(hash)
    await person.seesHeading(name)
    await person.takePicture(`core-${name}-${colorScheme}`)
    await person.hasNoAxeFindings()
  }
})

/** What the browser loaded from the service, compressed as it was sent. */
const loadedBytes = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name }) => name.includes('/console/'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

test('the first load is at most 180 kB, up to the list of runs', async () => {
  const { page } = await arrive()
  const bytes = await page.evaluate(loadedBytes)
  expect(bytes).toBeGreaterThan(20_000)
  expect(bytes).toBeLessThanOrEqual(180_000)
})

/** The name and state of each font of the console that the page has asked for. */
const askedFonts = "[...document.fonts].filter(({ status }) => status !== 'unloaded').map((font) => font.status)"

test('texts have the bundled font, and its second file is loaded only for letters that need it', async () => {
  const person = await arrive()
  await person.page.evaluate('document.fonts.ready')
  expect(await person.page.evaluate(askedFonts)).toEqual(['loaded'])
  await person.goTo('#/create')
  await person.page.getByLabel('Workspace (optional)').fill('Łódź')
  await person.page.evaluate('document.fonts.ready')
  expect(await person.page.evaluate(askedFonts)).toEqual(['loaded', 'loaded'])
  expect(person.requests.filter((url) => url.endsWith('.woff2'))).toHaveLength(2)
})

test('the licenses of the font and of the packages in the bundle are kept with it', () => {
  const built = new URL('../../../console/dist/THIRD-PARTY-LICENSES.txt', import.meta.url)
  const text = readFileSync(built, 'utf8')
  for (const part of ['SIL OPEN FONT LICENSE', '@fontsource-variable/inter', 'react-dom ']) expect(text).toContain(part)
})
