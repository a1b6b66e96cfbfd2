// The system page: what an operator sees while the service is well, and when it is not.
import type { Dependencies } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, arrive: arriveAt } = await openConsole()

/** Changes what the service says about its dependencies, because a test cannot break a model. */
const arrive = async (change?: Partial<Dependencies>, options: BrowserContextOptions = {}): Promise<Visitor> => {
  const prepare = async ({ page }: Visitor) => {
    if (!change) return
    const checked = (await caller.get('/health/deps')).json<Dependencies>()
    await page.route('**/health/deps', (route) => route.fulfill({ json: { ...checked, ...change } }))
  }
  const visitor = await arriveAt({ hash: '#/system', options, prepare })
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
