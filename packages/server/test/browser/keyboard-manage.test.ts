// More tasks by somebody who has only a keyboard: what the customer sets up, tools, and what is made of runs that have
// ended.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BudgetList, CreatedRun, KeyList, RunDetail, ScheduleList, WebhookList } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { Receiver } from '../support/receiver.ts'
import { check, hasFocus, hasFocusOnContent, press, skipToContent, tabTo, type } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const folder = await mkdtemp(join(tmpdir(), 'runwright-keyboard-'))
await writeFile(
  join(folder, 'pay.mjs'),
  `export default {
    name: 'pay_invoice', description: 'Pays an invoice.', policy: 'ask', effect: 'once',
    run: ({ number }) => ({ paid: number }),
    input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  }`,
)
const receiver = await new Receiver().start()
afterAll(async () => {
  await receiver.stop()
  await rm(folder, { recursive: true })
})

const env = { RUNWRIGHT_TOOLS_DIR: folder, RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' }
const { caller, arrive: arriveAt } = await openConsole(env, { worker: true })

/** A person who has passed the navigation of the page. */
const arrive = async (hash: string, heading: string): Promise<Visitor> => {
  const person = await arriveAt({ hash })
  await person.seesHeading(heading)
  await skipToContent(person)
  return person
}

const opensDialog = ({ page }: Visitor) => page.getByRole('dialog').waitFor()

test('creates a schedule', async () => {
  const person = await arrive('#/schedules/create', 'Create a schedule')
  await type(person, 'Name (optional)', 'Morning report')
  await type(person, 'Cron expression', '30 7 * * *')
  await press(person, 'Create schedule')
  await person.seesHeading('Morning report')
  await hasFocusOnContent(person)
  const { schedules } = (await caller.get('/v1/schedules')).json<ScheduleList>()
  expect(schedules.map(({ cron }) => cron)).toEqual(['30 7 * * *'])
})

test('sets budgets, and deletes one', async () => {
  const budgets = async () => (await caller.get('/v1/budgets')).json<BudgetList>().budgets
  const person = await arrive('#/budgets', 'Budgets')
  await person.sees('No budget is set.')
  await press(person, 'Set a budget')
  await opensDialog(person)
  await tabTo(person, 'For')
  await person.page.keyboard.press('ArrowDown')
  await type(person, 'Workspace id', 'purchasing')
  await type(person, 'Tokens', '5000')
  await tabTo(person, 'Period')
  await person.page.keyboard.press('d')
  await press(person, 'Set budget')
  await person.page.getByRole('meter', { name: 'Workspace purchasing' }).waitFor()
  await hasFocus(person, 'Set a budget')
  expect(await budgets()).toMatchObject([{ workspace_id: 'purchasing', period: 'day', tokens: 5000 }])

  await person.page.keyboard.press('Enter')
  await opensDialog(person)
  await type(person, 'Tokens', '7000')
  await person.page.keyboard.press('Enter')
  await person.page.getByRole('meter', { name: 'All usage' }).waitFor()
  await hasFocus(person, 'Set a budget')
  expect(await budgets()).toHaveLength(2)

  await press(person, 'Delete the budget of Workspace purchasing')
  await hasFocus(person, 'Keep it')
  await press(person, 'Delete budget')
  await person.page.getByRole('meter', { name: 'Workspace purchasing' }).waitFor({ state: 'detached' })
  await hasFocus(person, 'Budgets')
  expect(await budgets()).toMatchObject([{ tokens: 7000 }])
})

test('creates a key, stores its secret, and revokes it', async () => {
  const typed = async () => (await caller.get('/v1/keys')).json<KeyList>().keys.find(({ name }) => name === 'typed')
  const person = await arrive('#/keys', 'Keys')
  await press(person, 'Create key')
  await opensDialog(person)
  await type(person, 'Name', 'typed')
  await check(person, /^runs:write/)
  await check(person, /^runs:signal/)
  await press(person, 'Create key')
  await hasFocus(person, 'Created typed')
  await press(person, 'I have stored it')
  await hasFocus(person, 'Create key')
  expect(await typed()).toMatchObject({ scopes: ['runs:read', 'runs:signal'], revoked_at: null })

  await person.page.getByRole('button', { name: 'Revoke typed' }).waitFor()
  await press(person, 'Revoke typed')
  await person.sees('Nothing that the key has set up goes on.')
  await press(person, 'Keep it')
  await hasFocus(person, 'Revoke typed')
  await person.page.keyboard.press('Enter')
  await person.sees('Nothing that the key has set up goes on.')
  await press(person, 'Revoke key')
  await person.sees('1 revoked or expired key')
  await hasFocus(person, 'Active keys')
  expect((await typed())?.revoked_at).not.toBeNull()
})

test('creates a webhook, sends a message again, and deletes the webhook', async () => {
  const webhooks = async () => (await caller.get('/v1/webhooks')).json<WebhookList>().webhooks
  const person = await arrive('#/webhooks', 'Webhooks')
  await press(person, 'Create webhook')
  await opensDialog(person)
  await type(person, 'URL', receiver.url)
  await check(person, 'run.created')
  await press(person, 'Create webhook')
  await hasFocus(person, `Created ${receiver.url}`)
  await press(person, 'I have stored it')
  await hasFocus(person, 'Create webhook')
  expect(await webhooks()).toMatchObject([{ url: receiver.url, event_types: expect.arrayContaining(['run.created']) }])

  const { id } = await caller.newRun()
  await receiver.received.nth(1, ({ headers }) => headers['webhook-id'] === `${id}_1`)
  await person.page.getByRole('button', { name: `Deliveries of ${receiver.url}` }).waitFor()
  await press(person, `Deliveries of ${receiver.url}`)
  await person.page.getByText(`${id}_1`, { exact: true }).waitFor()
  await press(person, `Send again: ${id}_1`)
  await receiver.received.nth(2, ({ headers }) => headers['webhook-id'] === `${id}_1`)
  await hasFocus(person, `Send again: ${id}_1`)

  await tabTo(person, `Delete ${receiver.url}`, 'Shift+Tab')
  await person.page.keyboard.press('Enter')
  await opensDialog(person)
  await press(person, 'Delete webhook')
  await person.sees('There are no webhooks.')
  await hasFocusOnContent(person)
  expect(await webhooks()).toEqual([])
})

const triedRun = async ({ page }: Visitor) => {
  const link = page.getByRole('region', { name: 'Outcome' }).getByRole('link', { name: 'The run' })
  const [id = ''] = /run_\w+/.exec((await link.getAttribute('href')) ?? '') ?? []
  return (await caller.get(`/v1/runs/${id}?include=plan,steps,awaiting_input`)).json<RunDetail>()
}

test('tries a tool from the list', async () => {
  const person = await arrive('#/agents', 'Agents and tools')
  await person.page.getByRole('link', { name: 'Try it: calculator' }).waitFor()
  await press(person, 'Try it: calculator')
  await person.seesHeading('Try calculator')
  await hasFocusOnContent(person)
  await type(person, 'expression', '17 * 23')
  await press(person, 'Call calculator')
  await person.page.getByRole('region', { name: 'What the tool returned' }).getByText('391').waitFor()
  await hasFocus(person, 'Call calculator')
  expect(await triedRun(person)).toMatchObject({
    status: 'succeeded',
    plan: { steps: [{ tool: 'calculator', input: { expression: '17 * 23' } }] },
  })
})

test('tries a tool by its name, with consent, and goes on to the run', async () => {
  const person = await arrive('#/runs', 'Runs')
  await person.page.keyboard.press('Control+k')
  await person.page.getByRole('combobox', { name: /^Go to a page/ }).waitFor()
  await person.page.keyboard.insertText('pay_invoice')
  await person.page.getByRole('option', { name: 'Try pay_invoice', selected: true }).waitFor()
  await person.page.keyboard.press('Enter')
  await person.seesHeading('Try pay_invoice')
  await hasFocusOnContent(person)
  await type(person, 'number', '4711')
  await check(person, /^This call can change something/)
  await press(person, 'Call pay_invoice')
  await person.sees('The call is made once it is approved.')
  await hasFocus(person, 'The run')
  const run = await triedRun(person)
  expect(run.awaiting_input).toBeTruthy()
  expect(run.plan).toMatchObject({ steps: [{ tool: 'pay_invoice', input: { number: 4711 } }] })
  await person.page.keyboard.press('Enter')
  await expect.poll(() => person.page.url()).toContain(run.id)
  await hasFocusOnContent(person)
})

const plan = (first: string) => ({
  steps: [
    { id: 'sum', tool: 'calculator', input: { expression: first } },
    { id: 'again', tool: 'calculator', input: { expression: '{{steps.sum.output.result}} + 1' } },
  ],
})

const endedRun = async (title: string, first = '17 * 23') => {
  const body = { input: { n: 1 }, metadata: { title }, plan: plan(first) }
  const { id } = (await caller.create(body)).json<CreatedRun>()
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ text }) => text.includes('"type":"run.worker.succeeded"'))
  stream.close()
  return id
}

test('forks a run from a step, with another input', async () => {
  const id = await endedRun('Origin')
  const person = await arrive(`#/runs/${id}`, 'Origin')
  await press(person, 'Fork')
  await person.seesHeading('Fork the run')
  await hasFocusOnContent(person)
  await person.page.getByRole('radio').first().waitFor()
  await tabTo(person, /^again/)
  await person.page.keyboard.press('ArrowUp')
  await hasFocus(person, /^sum/)
  await check(person, /^Use another input/)
  await type(person, 'Input of the fork', '[1]')
  await press(person, 'Create the fork')
  await person.sees('This must be a JSON object: { … }.')
  await hasFocus(person, 'Create the fork')
  await tabTo(person, 'Input of the fork', 'Shift+Tab')
  await person.page.keyboard.press('Control+a')
  await person.page.keyboard.insertText('{"n": 2}')
  await press(person, 'Create the fork')
  await expect.poll(() => person.page.url()).not.toContain(id)
  await hasFocusOnContent(person)
  const [fork = ''] = /run_\w+/.exec(person.page.url()) ?? []
  expect((await caller.get(`/v1/runs/${fork}?include=forked_from,input`)).json<RunDetail>()).toMatchObject({
    forked_from: { run_id: id, step_id: 'sum' },
    input: { input: { n: 2 } },
  })
})

test('compares two runs, by their ids', async () => {
  const [left, right] = [await endedRun('Left'), await endedRun('Right', '17 * 24')]
  const person = await arrive('#/compare', 'Compare two runs')
  await type(person, 'Left run', left)
  await type(person, 'Right run', right)
  await press(person, 'Compare')
  await person.page.getByRole('region', { name: 'Facts of both runs' }).waitFor()
  await hasFocus(person, 'Compare')
  expect(person.page.url()).toContain(`left=${left}&right=${right}`)
  expect(await person.page.getByLabel('Right run').inputValue()).toBe(right)
  expect(await person.page.getByRole('region', { name: 'Differences: Result' }).innerText()).toMatch(/392.*409/s)
})
