// The system page: what an operator sees while the service is well, and when it is not.

import { randomUUID } from 'node:crypto'
import type { Dependencies, KeyWithSecret } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { showWorker } from '../../src/store/runs/workers.ts'
import { Caller } from '../support/http.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, arrive: arriveAt } = await openConsole()

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

test('the last day is shown as charts with their values, and the workers with their places', async () => {
  await service.database.run({
    text: `
insert into service_minutes (minute, process_id, requests, errors, latency_ms, busy_places, places, queued,
  queue_seconds)
select now() - n * interval '10 minutes', gen_random_uuid(), 100 + n, n % 7, 5 + n, n % 10, 10, n * 3, n
from generate_series(1, 143) n`,
  })
  const id = randomUUID()
  await showWorker(service.database, { id, places: 12, breakers: [] })
  const person = await arrive()
  const panel = person.page.getByRole('region', { name: 'Last 24 hours' })
  const queued = panel.getByRole('listitem').filter({ hasText: 'Queued runs, most' }).first()
  await expect.poll(() => queued.innerText()).toMatch(/now 3, highest 429/)
  await queued.getByText('Values').click()
  expect(await queued.getByRole('listitem').count()).toBeGreaterThan(140)
  expect(await person.page.getByRole('region', { name: 'Processes that execute runs' }).innerText()).toMatch(/0 of 12/)
  await person.takePicture('system-history')
  await person.hasNoAxeFindings()
})

test('a key that is not of an administrator does not see the history of the service', async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const person = await arriveAt({ hash: '#/system', key: `${key.id}:${secret}` })
  await person.sees('does not have the scope keys:admin')
  const refused = await new Caller(service.url, `${key.id}:${secret}`).get('/console/history')
  expect([refused.status, refused.json()]).toEqual([403, expect.objectContaining({ reason_code: 'SCOPE_DENIED' })])
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive(undefined, { ...phone, colorScheme })
  await person.takePicture(`rest-system-${colorScheme}`)
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
