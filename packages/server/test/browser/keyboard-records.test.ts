// Tasks by somebody who has only a keyboard: what is deleted, changed, rotated, verified, priced and copied.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditList, KeyWithSecret, ScheduleResult } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { recordUsages } from '../support/usage.ts'
import { hasFocus, hasFocusOnContent, press, skipToContent, tabTo, type } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const folder = await mkdtemp(join(tmpdir(), 'runwright-keyboard-records-'))
afterAll(() => rm(folder, { recursive: true }))
const model = 'openai-compatible/gpt-test'
const prices = { currency: 'EUR', date: '2026-11-01', models: { [model]: { input: 2, output: 10 } } }
await writeFile(join(folder, 'prices.json'), JSON.stringify(prices))
const env = { RUNWRIGHT_PRICES: join(folder, 'prices.json') }
const { service, caller, driver, arrive: arriveAt } = await openConsole(env)

/** A person who has passed the navigation of the page. */
const arrive = async (hash: string, heading: string): Promise<Visitor> => {
  const person = await arriveAt({ hash })
  await person.seesHeading(heading)
  await skipToContent(person)
  return person
}

test('deletes selected runs, once their number is typed', async () => {
  const ids: string[] = []
  for (const title of ['Run 1', 'Run 2', 'Run 3']) {
    const { id } = await caller.newRun({ workspace_id: 'ended', metadata: { title } })
    await driver.toSucceeded(id)
    ids.unshift(id)
  }
  const person = await arrive('#/runs?workspace_id=ended', 'Runs')
  await person.page.getByRole('row').nth(3).waitFor()
  for (const key of ['j', 'x', 'j', 'x', 's']) await person.page.keyboard.press(key)
  await hasFocus(person, 'Selected runs')
  await press(person, 'Delete 2 runs')
  await hasFocus(person, 'Keep them')
  await tabTo(person, 'Type 2 to confirm', 'Shift+Tab')
  await person.page.keyboard.insertText('2')
  await press(person, 'Delete 2 runs')
  await person.sees('2 runs deleted.')
  await hasFocus(person, 'Close')
  await person.page.keyboard.press('Enter')
  await person.page.getByRole('region', { name: 'Selected runs' }).waitFor({ state: 'detached' })
  const statuses = await Promise.all(ids.map(async (id) => (await caller.get(`/v1/runs/${id}`)).status))
  expect(statuses).toEqual([404, 404, 200])
})

test('pauses a schedule, changes it and deletes it', async () => {
  const body = { name: 'Nightly', cron: '0 3 * * *', time_zone: 'UTC', run: { input: {}, metadata: {} } }
  const { id } = (await caller.post('/v1/schedules', body)).json<ScheduleResult>().schedule
  const read = async () => (await caller.get(`/v1/schedules/${id}`)).json<ScheduleResult>().schedule
  const person = await arrive(`#/schedules/${id}`, 'Nightly')
  await press(person, 'Pause Nightly')
  await person.sees('None: the schedule is paused.')
  await hasFocus(person, 'Resume Nightly')
  expect((await read()).paused).toBe(true)

  await press(person, 'Change')
  await person.page.getByLabel('Name (optional)').waitFor()
  await hasFocusOnContent(person)
  await type(person, 'Name (optional)', 'Weekly')
  await type(person, 'Cron expression', '0 3 * * MON')
  await person.page.keyboard.press('Enter')
  await person.seesHeading('Weekly')
  await hasFocusOnContent(person)
  expect(await read()).toMatchObject({ name: 'Weekly', cron: '0 3 * * MON', paused: true })

  await press(person, 'Delete')
  await hasFocus(person, 'Keep it')
  await press(person, 'Delete schedule')
  await person.seesHeading('Schedules')
  await hasFocusOnContent(person)
  expect((await caller.get(`/v1/schedules/${id}`)).status).toBe(404)
})

test('rotates a key, whose old secret ends at once, and stores the new one', async () => {
  const made = (await caller.post('/v1/keys', { name: 'robot', scopes: ['runs:read'] })).json<KeyWithSecret>()
  const person = await arrive('#/keys', 'Keys')
  await person.page.getByRole('button', { name: 'Rotate robot' }).waitFor()
  await press(person, 'Rotate robot')
  await person.page.getByRole('dialog').waitFor()
  await tabTo(person, 'The old secret stays valid for')
  await person.page.keyboard.press('Home')
  await press(person, 'Rotate key')
  await person.sees('The old secret is no longer valid.')
  const shown = await person.page.getByText(new RegExp(`^${made.key.id}:`)).innerText()
  const status = async (key: string) => (await new Caller(service.url, key).get('/v1/runs')).status
  expect([await status(shown.trim()), await status(`${made.key.id}:${made.secret}`)]).toEqual([200, 401])
  await press(person, 'I have stored it')
  await hasFocus(person, 'Rotate robot')
})

const listAudit = async () => (await caller.get('/v1/audit?limit=200')).json<AuditList>().entries

test('filters the audit log and verifies it against a noted head', async () => {
  const { key } = (await caller.post('/v1/keys', { name: 'filtered', scopes: ['runs:read'] })).json<KeyWithSecret>()
  // Entries are appended about a second after the act.
  await expect.poll(async () => (await listAudit()).map(({ target }) => target)).toContain(key.id)
  const [head] = await listAudit()
  const person = await arrive('#/audit', 'Audit log')
  await type(person, 'Target', key.id)
  await person.page.keyboard.press('Enter')
  await expect.poll(() => person.page.getByRole('rowheader').count()).toBe(1)
  await hasFocus(person, 'Target')

  await tabTo(person, 'Verify the chain', 'Shift+Tab')
  await person.page.keyboard.press('Enter')
  await type(person, 'A head that you noted earlier (optional)', `${head?.seq}:${head?.hash}`)
  await person.page.keyboard.press('Enter')
  await person.page.getByText(/^Verified \d+ entries\.$/).waitFor()
  await hasFocus(person, 'A head that you noted earlier (optional)')
  await person.page.keyboard.press('Control+a')
  await person.page.keyboard.insertText(`${head?.seq}:${'f'.repeat(64)}`)
  await person.page.keyboard.press('Enter')
  await person.sees(`entry ${head?.seq} with the hash that you noted is not among them`)
})

test('reads costs by subject', async () => {
  const usage = { eventType: 'tokens.consumed', at: new Date().toISOString(), quantity: 1_000_000 }
  const details = { model, input: 1_000_000, output: 0 }
  await recordUsages(service.database, 'acme', [{ ...usage, subjectId: 'ada', details }])
  const person = await arrive('#/usage', 'Usage')
  await person.page.getByRole('region', { name: 'Costs by agent' }).waitFor()
  const costsBy = person.page.getByRole('navigation', { name: 'Costs by' })
  await expect
    .poll(async () => {
      await person.page.keyboard.press('Tab')
      return costsBy.locator(':focus').allInnerTexts()
    })
    .toEqual(['Agent'])
  await press(person, 'Subject')
  const table = person.page.getByRole('region', { name: 'Costs by subject' })
  await table.getByRole('cell', { name: '€2.00' }).first().waitFor()
  await hasFocus(person, 'Subject')
})

test('copies a request as code', async () => {
  const person = await arrive('#/create', 'New run')
  await press(person, 'As code')
  await press(person, 'Copy as curl')
  await person.sees('Copied.')
  await hasFocus(person, 'Copy as curl')
  await tabTo(person, 'Idempotency key', 'Shift+Tab')
  await person.page.keyboard.press('Control+a')
  await person.page.keyboard.press('Control+v')
  await expect.poll(() => person.page.getByLabel('Idempotency key').inputValue()).toMatch(/^curl '.*\/v1\/runs'/)
})
