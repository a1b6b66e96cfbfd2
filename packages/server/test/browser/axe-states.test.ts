// The states of pages other than "with something on it": empty, loading, failed, without the right, reconnecting, with
// a filter that nothing matches, and with each dialog open. axe has no findings in any of them.
import type { KeyWithSecret, ScheduleResult } from '@runwright/contract'
import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { remember } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

const waiting = (await caller.newRun({ metadata: { title: 'Waiting' } })).id
await driver.toAwaiting(waiting, { prompt: 'Go on?' })
const failed = (await caller.newRun({ metadata: { title: 'Failed' } })).id
await driver.toFailed(failed)
const queued = (await caller.newRun({ metadata: { title: 'Queued' } })).id
await remember(service.database)
const body = { name: 'Morning', cron: '0 9 * * *', time_zone: 'UTC', run: { input: {}, metadata: {} } }
const { schedule } = (await caller.post('/v1/schedules', body)).json<ScheduleResult>()

const pages = [
  ...['#/runs', '#/inbox', '#/create', '#/schedules', '#/schedules/create', '#/usage', '#/budgets', '#/memory'],
  ...['#/keys', '#/webhooks', '#/agents', '#/tools/calculator', '#/audit', '#/system', `#/runs/${failed}`],
  ...[`#/runs/${failed}?tab=events`, `#/runs/${failed}?tab=turns`, `#/runs/${failed}/fork`],
  ...[`#/compare?left=${failed}&right=${queued}`, `#/decide/${waiting}/2`, `#/schedules/${schedule.id}`],
]

/** Wide in light, narrow in dark. */
async function findingsOf(person: Visitor, state: string): Promise<unknown[]> {
  const findings = await person.axeFindingsInOppositeLooks()
  return findings.map((finding) => ({ state, ...finding }))
}

const hasLoaded = async ({ page }: Visitor) => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page
    .locator('main')
    .getByText(/^Loading/)
    .filter({ visible: true })
    .first()
    .waitFor({ state: 'hidden' })
}

async function visitAll(person: Visitor, isReady: (person: Visitor) => Promise<void>): Promise<unknown[]> {
  person.page.setDefaultTimeout(60_000)
  const findings: unknown[] = []
  for (const hash of pages) {
    await person.page.goto('about:blank')
    await person.goTo(hash)
    await isReady(person)
    findings.push(...(await findingsOf(person, hash)))
  }
  return findings
}

const data = /\/(v1|health|console\/(history|prices|model-tokens|ticks))\b/
/** Not retried. */
const failure = {
  status: 501,
  json: { error: 'internal', reason_code: 'INTERNAL_ERROR', message: 'It broke.', request_id: 'req_1', details: {} },
}

test('without anything to show', async () => {
  const person = await arrive({ key: service.otherKey })
  expect(await visitAll(person, hasLoaded)).toEqual([])
}, 300_000)

test('of a key that may do almost nothing', async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['tokens:create'] })).json<KeyWithSecret>()
  const person = await arrive({ hash: '#/create', key: `${key.id}:${secret}` })
  expect(await visitAll(person, hasLoaded)).toEqual([])
}, 300_000)

/** A form needs nothing from the service. */
const says = ({ page }: Visitor) =>
  page
    .locator('main')
    .getByRole('alert')
    .or(page.getByRole('heading', { name: /^(New run|Create a schedule)$/ }))
    .first()
    .waitFor()

test('while the service fails', async () => {
  const person = await arrive({ prepare: ({ page }) => page.route(data, (route) => route.fulfill(failure)) })
  expect(await visitAll(person, says)).toEqual([])
}, 300_000)

test('while everything is loading', async () => {
  const held: (() => Promise<void>)[] = []
  let isOver = false
  const hold = async (route: Route) => {
    if (isOver) await route.abort()
    else held.push(() => route.abort())
  }
  const person = await arrive({ prepare: ({ page }) => page.route(data, hold) })
  const findings = await visitAll(person, ({ page }) => page.getByRole('heading', { level: 1 }).first().waitFor())
  // The page asks again for what is aborted, and the person cannot leave while a request is held.
  isOver = true
  // Of a page that was left, there is nothing to abort.
  await Promise.all(held.map((end) => end().catch((error: unknown) => error)))
  expect(findings).toEqual([])
}, 300_000)

describe('in a moment of a task', () => {
  const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
  const moments: readonly (readonly [
    name: string,
    hash: string,
    act: (page: Page) => Promise<unknown>,
    sees: string,
  ])[] = [
    ['a run is to be cancelled', `#/runs/${queued}`, press('Cancel run…'), 'Cancel this run?'],
    ['a run is to be repeated', `#/runs/${failed}`, press('Run again…'), 'Run this again?'],
    ['a webhook is made', '#/webhooks', press('Create webhook'), 'Create a webhook'],
    ['a webhook is to be deleted', '#/webhooks', press(/^Delete/), 'Delete the webhook?'],
    ['deliveries are shown', '#/webhooks', press(/^Deliveries/), 'Deliveries'],
    ['a budget is set', '#/budgets', press('Set a budget'), 'Set a budget'],
    ['a budget is to be deleted', '#/budgets', press(/^Delete the budget/), 'Delete'],
    ['a key is made', '#/keys', press('Create key'), 'Create an API key'],
    ['a key gets another secret', '#/keys', press(/^Rotate/), 'Rotate'],
    ['a schedule is to be deleted', `#/schedules/${schedule.id}`, press(/^Delete/), 'Delete'],
    ['the shortcuts are shown', '#/runs', (page) => page.keyboard.press('?'), 'Keyboard shortcuts'],
    ['runs are selected', '#/runs', (page) => page.getByRole('checkbox').nth(1).check(), '1 run selected'],
    ['more filters are shown', '#/runs', press('More filters'), 'Created before'],
    ['no entry matches', '#/audit?target=run_nothing', async () => undefined, 'No entry matches.'],
    ['no item matches', '#/memory?workspace_id=nowhere', async () => undefined, 'No item matches.'],
    ['no question is for this person', '#/inbox?assigned=me', async () => undefined, 'Inbox'],
    [
      'no event matches',
      `#/runs/${failed}?tab=events`,
      (page) => page.getByPlaceholder('Search…').fill('zzz'),
      'No event',
    ],
  ]

  test.each(moments)('%s', async (name, hash, act, sees) => {
    await caller.send({ method: 'PUT', path: '/v1/budgets/customer', body: { period: 'month', tokens: 5 } })
    const { webhooks } = (await caller.get('/v1/webhooks')).json<{ webhooks: unknown[] }>()
    if (webhooks.length === 0) await caller.post('/v1/webhooks', { url: 'https://example.com/hook' })
    const person = await arrive({ hash })
    await hasLoaded(person)
    await act(person.page)
    await person.page.getByText(sees).filter({ visible: true }).first().waitFor()
    expect(await findingsOf(person, name)).toEqual([])
  })
})
