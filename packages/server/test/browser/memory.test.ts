// The memory page: what runs have remembered is browsed, filtered, read and exported.
import type { KeyWithSecret } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { remember } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, arrive: arriveAt } = await openConsole()

const { database } = service
const newer = await remember(database, { title: 'Approval limit', workspace_id: 'finance', tags: ['payments'] })
await remember(database, {
  title: 'Old limit',
  content: '<img src=x onerror="document.title=1"> Payments over 500.00.',
  status: 'superseded',
  superseded_by: fromWireId('mem', newer) ?? null,
  workspace_id: 'finance',
})
await remember(database, { title: 'Tone of letters', content: 'Short and friendly.', kind: 'preference' })
await remember(database, { title: 'What a run did', kind: 'episode', harness: true })
await remember(database, { title: 'Not of this customer', customer_id: 'other' })

const arrive = async (hash = '#/memory', options: BrowserContextOptions = {}, key = service.key): Promise<Visitor> => {
  const visitor = await arriveAt({ hash, options, key })
  await visitor.seesHeading('Memory')
  return visitor
}

const titles = ({ page }: Visitor) => page.getByRole('list', { name: 'Items' }).locator('a span.font-medium.min-w-0')
const shown = async (person: Visitor) => (await titles(person).allInnerTexts()).sort()

test('items of the customer are listed, and narrowed down by label, kind, status and words', async () => {
  const person = await arrive()
  const { page } = person
  await expect.poll(() => shown(person)).toEqual(['Approval limit', 'Old limit', 'Tone of letters'])
  await page.getByLabel('Search in the loaded items').fill('PAYMENTS 500')
  await expect.poll(() => shown(person)).toEqual(['Old limit'])
  await person.sees('1 item of 3 loaded')
  await page.getByLabel('Search in the loaded items').fill('')
  await page.getByLabel('Kind').selectOption('preference')
  await expect.poll(() => shown(person)).toEqual(['Tone of letters'])
  await page.getByLabel('Kind').selectOption('episode')
  await expect.poll(() => shown(person)).toEqual(['What a run did'])
  await page.goto(`${service.url}/console/#/memory?status=active`)
  await expect.poll(() => shown(person)).toEqual(['Approval limit', 'Tone of letters'])
  await page.getByLabel('Workspace').fill('finance')
  await person.press('Filter')
  await expect.poll(() => shown(person)).toEqual(['Approval limit'])
  expect(page.url()).toContain('workspace_id=finance')
})

test('an item is read as text, leads to its successor, and can be linked', async () => {
  const person = await arrive()
  await person.page.getByRole('link', { name: 'Old limit' }).click()
  const dialog = person.page.getByRole('dialog')
  await dialog.getByText('<img src=x').waitFor()
  expect(await person.page.locator('img').count()).toBe(0)
  await person.hasNoAxeFindings()
  await dialog.getByRole('link', { name: 'the newer item' }).click()
  await person.page.getByRole('dialog', { name: 'Approval limit' }).waitFor()
  await person.page.reload()
  await person.page.getByRole('dialog', { name: 'Approval limit' }).waitFor()
  await person.takePicture('rest-memory-item')
  await person.page.keyboard.press('Escape')
  await expect.poll(() => person.page.url()).not.toContain('item=')
})

test('the export is an archive of Markdown files, of what the filter selects', async () => {
  const person = await arrive('#/memory?status=superseded')
  await expect.poll(() => shown(person)).toEqual(['Old limit'])
  const download = person.page.waitForEvent('download')
  await person.press('Export as Markdown')
  const file = await download
  expect(file.suggestedFilename()).toBe('runwright-memory.zip')
  const chunks: Buffer[] = []
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
  const archive = Buffer.concat(chunks)
  expect(archive.subarray(0, 2).toString()).toBe('PK')
  expect(archive.toString('latin1')).toMatch(/workspaces\/finance\/.*old-limit-mem_\w+\.md/)
  expect(archive.toString('latin1')).not.toContain('approval-limit')
})

test('a filter that no item matches is told so', async () => {
  const person = await arrive('#/memory?workspace_id=nowhere')
  await person.sees('No item matches.')
})

test('a key without memory:read sees why', async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const person = await arriveAt({ key: `${key.id}:${secret}` })
  await person.seesHeading('Runs')
  await person.goTo('#/memory')
  await person.sees('does not have the scope memory:read')
  expect(person.requests.filter((url) => url.includes('/v1/memory'))).toEqual([])
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive('#/memory', { ...phone, colorScheme })
  await titles(person).first().waitFor()
  await person.takePicture(`rest-memory-${colorScheme}`)
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
