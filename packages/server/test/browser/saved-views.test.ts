// Saved views and the suggestions of the filter, by keyboard alone.
import { expect, test } from 'vitest'
import { hasFocus } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import { Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

const titles = async ({ page }: Visitor) => (await page.locator('[data-row-link]').allInnerTexts()).toSorted()

const runOf = async (title: string, workspace_id: string) =>
  (await caller.newRun({ workspace_id, metadata: { title } })).id

const focusOn = ({ page }: Visitor) => page.locator(':focus')

test('a filter gets a name, comes back by its link after a reload, and is removed', async () => {
  await driver.toFailed(await runOf('Broken', 'acme-north'))
  await runOf('Fine', 'acme-north')
  const person = await arrive({ hash: '#/runs?status=failed&workspace_id=acme-north' })
  const { page } = person
  await page.getByRole('button', { name: 'Save this view…' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Failed in the north')
  await page.keyboard.press('Enter')
  const link = page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Failed in the north' })
  await link.waitFor()
  expect(await link.getAttribute('aria-current')).toBe('page')
  await hasFocus(person, 'Views')
  await person.takePicture('saved-view')
  await person.hasNoAxeFindings()
  await person.goTo('#/runs')
  await page.reload()
  await expect.poll(() => titles(person)).toEqual(['Broken', 'Fine'])
  await link.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => titles(person)).toEqual(['Broken'])
  expect(page.url()).toContain('status=failed')
  await page.getByRole('button', { name: 'Remove the view Failed in the north' }).focus()
  await page.keyboard.press('Enter')
  await link.waitFor({ state: 'detached' })
  await hasFocus(person, 'Views')
  expect(await page.evaluate('localStorage.length')).toBe(0)
})

test('two tabs have the same views, and the thirty-first is refused in words', async () => {
  const person = await arrive({ hash: '#/runs?status=failed' })
  const other = new Visitor(await person.page.context().newPage(), service.url)
  await other.bringKey(service.key)
  await other.goTo('#/runs?status=cancelled')
  const save = async ({ page }: Visitor, name: string) => {
    await page.getByRole('button', { name: 'Save this view…' }).click()
    await page.getByLabel('Name of the view').fill(name)
    await page.keyboard.press('Enter')
  }
  const names = ({ page }: Visitor) =>
    page.getByRole('navigation', { name: 'Saved views' }).getByRole('link').allInnerTexts()
  await other.page.getByRole('button', { name: 'Save this view…' }).waitFor()
  await save(person, 'Failed')
  await expect.poll(() => names(other)).toEqual(['Failed'])
  await save(other, 'Cancelled')
  await expect.poll(() => names(person)).toEqual(['Failed', 'Cancelled'])

  const views = Array.from({ length: 30 }, (_, n) => ({ name: `View ${n}`, filter: { agent: `a${n}` } }))
  const fill = `localStorage.setItem('runwright.views.acme', ${JSON.stringify(JSON.stringify(views))})`
  await other.page.evaluate(fill)
  await expect.poll(async () => (await names(person)).length).toBe(30)
  await save(person, 'One more')
  await person.page.getByRole('alert').getByText('This browser keeps 30 views').waitFor()
  await person.takePicture('saved-views-full')
  await person.hasNoAxeFindings()
  await person.page.getByLabel('Name of the view').fill('View 7')
  await person.page.keyboard.press('Enter')
  await expect.poll(async () => (await names(other)).at(-1)).toBe('View 7')
  expect(await names(other)).toHaveLength(30)
})

test('a view is found by Ctrl+K, and another customer does not see it', async () => {
  const person = await arrive({ hash: '#/runs?status=failed' })
  const { page } = person
  await page.getByRole('button', { name: 'Save this view…' }).click()
  await page.keyboard.type('My failures')
  await page.keyboard.press('Enter')
  await person.goTo('#/system')
  await person.seesHeading('System')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('failures')
  await page.getByRole('option', { name: /My failures/ }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('#/runs?status=failed')
  await person.bringKey(service.otherKey)
  await person.goTo('#/runs?status=failed')
  await page.getByRole('button', { name: 'Save this view…' }).waitFor()
  expect(await page.getByText('My failures').count()).toBe(0)
})

test('the fields suggest what is there: the arrow keys choose, Escape closes, Enter applies', async () => {
  await runOf('South', 'acme-south')
  await runOf('North', 'acme-north')
  const person = await arrive({ hash: '#/runs' })
  const { page } = person
  await expect.poll(() => titles(person)).toContain('South')
  await page.getByRole('button', { name: 'More filters' }).focus()
  await page.keyboard.press('Enter')
  const field = page.getByRole('combobox', { name: 'Workspace' })
  await field.focus()
  await page.keyboard.type('SOU')
  await page.getByRole('option', { name: 'acme-south' }).waitFor()
  await person.takePicture('suggestions')
  await person.hasNoAxeFindings()
  await page.keyboard.press('ArrowDown')
  expect(await field.getAttribute('aria-activedescendant')).toBe(
    await page.getByRole('option', { name: 'acme-south' }).getAttribute('id'),
  )
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('acme-south')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('listbox').getByRole('option').count()).toBe(0)
  await page.keyboard.press('Enter')
  await expect.poll(() => titles(person)).toEqual(['South'])
  expect(await focusOn(person).getAttribute('name')).toBe('workspace_id')
  // What no list has may be entered, too.
  await field.fill('nowhere')
  await page.keyboard.press('Enter')
  await person.sees('No run matches.')
})
