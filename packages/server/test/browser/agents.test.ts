// The page of agents and tools: what an operator has installed, as every key that may read runs sees it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'
import { launchBrowser, phone, Visitor } from './visitor.ts'

const clerk = `---
description: Sorts invoices by supplier.
tools: [calculator, json_query]
judge: end
max_turns: 4
output_schema:
  type: object
  properties: { supplier: { type: string } }
---
Sort with care.
`

let folder: string
let service: Service
let browser: Browser
let visitor: Visitor | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  await writeFile(join(folder, 'clerk.md'), clerk)
  await writeFile(join(folder, 'writer.md'), '---\ndescription: Writes letters.\n---\nWrite briefly.\n')
  ;[service, browser] = await Promise.all([startService({ RUNWRIGHT_AGENTS_DIR: folder }), launchBrowser()])
})
afterEach(async () => {
  await visitor?.leave()
  visitor = undefined
})
afterAll(async () => {
  await browser.close()
  await service.stop()
  await rm(folder, { recursive: true })
})

const arrive = async (options?: BrowserContextOptions) => {
  visitor = await Visitor.arrive(browser, service.url, options)
  await visitor.signIn(service.key)
  await visitor.seesHeading('Runs')
  await visitor.goTo('#/agents')
  await visitor.seesHeading('Agents and tools')
  return visitor
}

test('an agent is shown with its tools, limits and schema, and without its instructions', async () => {
  const person = await arrive()
  const panel = person.page.getByRole('region', { name: 'clerk' })
  expect(await panel.innerText()).toMatch(
    /Sorts invoices by supplier\.\s+Model\s+the model of the worker\s+Tools\s+calculator\s*json_query\s+Judged\s+at the end\s+Turns\s+at most 4/,
  )
  expect(await person.page.getByText('"supplier"').isVisible()).toBe(false)
  await panel.getByText('Schema of the result').click()
  await panel.getByText('"supplier"').waitFor()
  expect(await person.page.content()).not.toContain('Sort with care')
  await person.takePicture('rest-agents')
})

test('an agent without limits of its own says what applies', async () => {
  const person = await arrive()
  expect(await person.page.getByRole('region', { name: 'writer' }).innerText()).toMatch(
    /Tools\s+all that policy allows[\s\S]+Turns\s+the limit of the service/,
  )
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive({ ...phone, colorScheme })
  await person.page.getByText('Schema of the result').click()
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
