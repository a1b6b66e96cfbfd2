// The documentation in a browser: search, dark mode, a narrow screen, and what tools for accessibility say.
import type { BrowserContextOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, arriveSignedOut } = await openConsole()

const open = async (path: string, options: BrowserContextOptions = {}): Promise<Visitor> => {
  const reader = await arriveSignedOut(options)
  await reader.page.goto(`${service.url}/docs${path}`)
  return reader
}

test.each([
  ['', 'light'],
  ['', 'dark'],
  ['/agents.html', 'dark'],
  ['/reference.html', 'light'],
  ['/decisions/index.html', 'light'],
] as const)('/docs%s has no findings of axe in %s', async (path, colorScheme) => {
  const reader = await open(path, { colorScheme })
  await reader.page.locator('input:not([disabled])').waitFor()
  // The routes of the reference have one form, and axe takes half a minute for all of them.
  await reader.page.evaluate(
    "document.querySelectorAll('#content > :nth-child(n+80)').forEach((part) => part.remove())",
  )
  await reader.hasNoAxeFindings()
})

test('the search finds a setting and leads to its place', async () => {
  const { page } = await open('')
  await page.keyboard.press('/')
  await page.keyboard.type('structured outp')
  await page
    .getByRole('status')
    .getByText(/results?$/)
    .waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/guides\/structured-output\.html#get-structured-output$/)
})

/** The titles of the results. */
async function find(words: string) {
  const { page } = await open('')
  await page.keyboard.press('/')
  await page.keyboard.type(words)
  await page
    .getByRole('status')
    .getByText(/results?$/)
    .waitFor({ state: 'attached' })
  return page.locator('.results li')
}

test('the search finds other forms of a word, and shows the words around it', async () => {
  const results = await find('approving')
  expect(await results.count()).toBeGreaterThan(5)
  expect((await results.locator('mark').first().textContent())?.toLowerCase()).toMatch(/^approv/)
})

test('guides come before decisions', async () => {
  const links = await (await find('approval'))
    .locator('a')
    .evaluateAll((found) => found.map((a) => a.getAttribute('href')))
  expect(links.findIndex((link) => link?.includes('guides/'))).toBeLessThan(3)
  expect(links.slice(0, 5).filter((link) => link?.includes('decisions/'))).toEqual([])
})

test('a block of code can be copied', async () => {
  const { page } = await open('/guides/first-agent.html', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^mkdir refunds\n/)
})

test('dark mode is kept for the next page and for the console', async () => {
  const { page } = await open('')
  await page.getByRole('button', { name: 'Dark mode' }).click()
  await page.goto(`${service.url}/docs/agents.html`)
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  await page.getByRole('banner').getByRole('link', { name: 'Console' }).click()
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
})

test('on a phone the menu is closed and nothing is wider than the screen', async () => {
  const { page } = await open('/configuration.html', phone)
  await page.locator('input:not([disabled])').waitFor()
  expect(await page.locator('.menu').getAttribute('open')).toBeNull()
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
})
