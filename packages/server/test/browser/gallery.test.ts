// The gallery of components, as Vite serves it in development: no component in any state has a finding of axe.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { sharedBrowser, Visitor } from './visitor.ts'

const consoleFolder = join(import.meta.dirname, '../../../console')
const cacheDir = mkdtempSync(join(tmpdir(), 'runwright-gallery-'))
const { service, arrive } = await openConsole()
const vite = await createServer({
  root: consoleFolder,
  cacheDir,
  logLevel: 'error',
  server: { host: '127.0.0.1', port: 0, ws: false, proxy: { '/v1': service.url, '/health': service.url } },
})
await vite.listen()
const url = vite.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? ''
afterAll(async () => {
  await vite.close()
  rmSync(cacheDir, { recursive: true })
})

test('opens in development, with every group and each dialog, and axe has no findings', async () => {
  const person = await Visitor.enter(await sharedBrowser(), url)
  // Vite prepares the packages first.
  person.page.setDefaultTimeout(60_000)
  await person.bringKey(service.key)
  await person.goTo('#/gallery')
  await person.seesHeading('Component gallery')
  for (const name of ['Tokens', 'Controls', 'Dialogs', 'States', 'Values', 'Layout', 'Errors'])
    await person.page.getByRole('region', { name, exact: true }).waitFor()
  await person.takePicture('gallery')
  expect(await person.axeFindingsInAnyLook()).toEqual([])
  await person.fitsOnScreen()
  await person.page.getByRole('combobox', { name: 'Fruit' }).press('ArrowDown')
  await person.page.getByRole('listbox', { name: 'Fruits' }).waitFor()
  await person.hasNoAxeFindings()
  await person.page.keyboard.press('Escape')
  for (const dialog of ['dialog', 'question', 'failing question']) {
    await person.press(`Open the ${dialog}`)
    await person.page.getByRole('dialog').waitFor()
    if (dialog === 'failing question') {
      await person.press('Delete it, and fail')
      await person.page.getByRole('dialog').getByRole('alert').waitFor()
    }
    await person.hasNoAxeFindings()
    await person.page.keyboard.press('Escape')
    await person.page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
  await person.leave()
}, 300_000)

test('a build has neither the page nor its code', async () => {
  const assets = join(consoleFolder, 'dist/assets')
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(20)
  expect(scripts.filter((name) => readFileSync(join(assets, name), 'utf8').includes('Component gallery'))).toEqual([])
  const person = await arrive({ hash: '#/gallery' })
  await person.seesHeading('Page not found')
})
