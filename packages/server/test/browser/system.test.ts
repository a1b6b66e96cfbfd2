// The system page: what an operator sees while the service is well, and when it is not.
import type { Dependencies } from '@runwright/contract'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { launchBrowser, phone, Visitor } from './visitor.ts'

let service: Service
let browser: Browser
let visitor: Visitor | undefined

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), launchBrowser()])
})
afterEach(async () => {
  // The page asks every 5 seconds: an answer must not outlive it.
  await visitor?.page.unrouteAll({ behavior: 'wait' })
  await visitor?.leave()
  visitor = undefined
})
afterAll(async () => {
  await browser.close()
  await service.stop()
})

/** Changes what the service says about its dependencies, because a test cannot break a model. */
const arrive = async (change?: Partial<Dependencies>, options?: BrowserContextOptions) => {
  visitor = await Visitor.arrive(browser, service.url, options)
  if (change) {
    const checked = (await new Caller(service.url, service.key).get('/health/deps')).json<Dependencies>()
    await visitor.page.route('**/health/deps', (route) => route.fulfill({ json: { ...checked, ...change } }))
  }
  await visitor.signIn(service.key)
  await visitor.seesHeading('Runs')
  await visitor.goTo('#/system')
  await visitor.sees('The service accepts requests.')
  return visitor
}

test('a model that is paused is named, with the time until it is called again', async () => {
  const breakers = [{ model: 'anthropic/claude', failures: 1, retry_in_seconds: 42 }]
  const person = await arrive({ breakers })
  const models = person.page.getByRole('region', { name: 'Models' })
  expect(await models.innerText()).toMatch(
    /paused\s+anthropic\/claude failed 1 time in a row. It is called again in 42 s/,
  )
  await person.hasNoAxeFindings()
})

test('a changed MCP tool is named', async () => {
  const mcp_changes = [{ server: 'crm', tool: 'find_customer', changed_at: '2026-11-01T00:00:00.000Z' }]
  const person = await arrive({ mcp_changes })
  expect(await person.page.getByRole('region', { name: 'Changed tools' }).innerText()).toContain('find_customer of crm')
})

test('without trouble there is none to see', async () => {
  const person = await arrive()
  await person.sees('No model is paused.')
  expect(await person.page.getByRole('region', { name: 'Changed tools' }).count()).toBe(0)
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive(undefined, { ...phone, colorScheme })
  await person.takePicture(`rest-system-${colorScheme}`)
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
