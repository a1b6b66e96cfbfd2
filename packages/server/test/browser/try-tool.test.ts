// Trying a tool: a person is told what a call does before it is made, and it is made as a run, so that policy and
// approvals hold.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyWithSecret, RunDetail, ToolList } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const folder = await mkdtemp(join(tmpdir(), 'runwright-try-'))
const tool = (name: string, policy: string, effect: string) => `export default {
  name: '${name}', description: 'Pays an invoice.', policy: '${policy}', effect: '${effect}',
  run: ({ number }) => ({ paid: number }),
  input: { type: 'object', properties: { number: { type: 'integer', description: 'As in \`R-17\`.' }, note: { type: 'string' } }, required: ['number'] },
}`
await writeFile(join(folder, 'pay.mjs'), tool('pay_invoice', 'ask', 'once'))
await writeFile(join(folder, 'never.mjs'), tool('never_pay', 'deny', 'once'))
afterAll(() => rm(folder, { recursive: true }))

const { caller, arrive } = await openConsole({ RUNWRIGHT_TOOLS_DIR: folder }, { worker: true })

const tried = async ({ page }: Visitor) => {
  const link = page.getByRole('region', { name: 'Outcome' }).getByRole('link', { name: 'The run' })
  const [id = ''] = /run_\w+/.exec((await link.getAttribute('href')) ?? '') ?? []
  return (await caller.get(`/v1/runs/${id}?include=plan,steps,title`)).json<RunDetail>()
}

test('a tool that changes nothing is called at once, and its result is shown', async () => {
  const person = await arrive({ hash: '#/agents' })
  await person.page.getByRole('link', { name: 'Try it: calculator' }).click()
  await person.seesHeading('Try calculator')
  await person.sees('The policy allows it: the call is made at once.')
  await person.press('Call calculator')
  await person.sees('This field is needed.')
  await person.page.getByLabel('expression').fill('17 * 23')
  await person.press('Call calculator')
  await person.page.getByRole('region', { name: 'What the tool returned' }).getByText('391').waitFor()
  await person.takePicture('try-tool')
  await person.hasNoAxeFindings()
  expect(await tried(person)).toMatchObject({
    status: 'succeeded',
    title: 'Try calculator',
    plan: { steps: [{ tool: 'calculator', input: { expression: '17 * 23' } }] },
  })
})

test('a call with consequences needs consent, and then still waits for its approval', async () => {
  const person = await arrive({ hash: '#/tools/pay_invoice' })
  await person.sees('the run waits in the inbox, and the call is made once somebody approves it')
  expect(await person.page.locator('code').allInnerTexts()).toContain('R-17')
  const call = person.page.getByRole('button', { name: 'Call pay_invoice' })
  await person.page.getByLabel('number').fill('4711')
  expect(await call.isDisabled()).toBe(true)
  await person.page.getByLabel('This call can change something or send something out. I want to make it.').check()
  await call.click()
  await person.sees('The call is made once it is approved.')
  const run = await tried(person)
  expect(run.status).toBe('running')
  await person.hasNoAxeFindings()
  await caller.post(`/v1/runs/${run.id}/signal`, { action: 'approve' })
  await person.page.getByRole('region', { name: 'What the tool returned' }).getByText('4711').waitFor()
})

test('an old answer that arrives after the events does not hide that the call waits', async () => {
  const person = await arrive({ hash: '#/tools/pay_invoice' })
  await person.page.getByLabel('number').fill('4712')
  await person.page.getByLabel('This call can change something or send something out. I want to make it.').check()
  let answers = 0
  await person.page.route(/\/v1\/runs\/run_\w+\?include=/, async (route) => {
    answers += 1
    if (answers > 1) return route.continue()
    const id = /run_\w+/.exec(route.request().url())?.[0] ?? ''
    const old = await route.fetch()
    const run = (await old.json()) as RunDetail
    const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
    await stream.until(({ text }) => text.includes('"type":"run.awaiting_input"'))
    stream.close()
    await route.fulfill({ response: old, json: { ...run, status: 'running', awaiting_input: null } })
  })
  await person.press('Call pay_invoice')
  await person.sees('The call is made once it is approved.')
  expect(answers).toBeGreaterThan(1)
})

test('a denied tool is not called, and the page says so before and after', async () => {
  const person = await arrive({ hash: '#/tools/never_pay' })
  await person.sees('The policy denies it: the call is not made, and the run fails.')
  await person.page.getByLabel('number').fill('1')
  await person.press('Call never_pay')
  await person.page.getByRole('region', { name: 'Outcome' }).getByText('failed').first().waitFor()
})

test('arguments that are lists or objects are entered as JSON', async () => {
  const { tools } = (await caller.get('/v1/tools')).json<ToolList>()
  expect(tools.map(({ name }) => name)).toContain('json_query')
  const person = await arrive({ hash: '#/tools/json_query', options: phone })
  const json = person.page.getByLabel('Arguments, as JSON')
  await json.fill('[')
  await person.press('Call json_query')
  await person.page.getByRole('alert').waitFor()
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
})

test('fields and JSON have the same arguments, whichever was filled in', async () => {
  const person = await arrive({ hash: '#/tools/pay_invoice' })
  await person.page.getByLabel('number').fill('4713')
  await person.page.getByLabel('note').fill('Now')
  await person.press('Enter JSON instead')
  const json = person.page.getByLabel('Arguments, as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual({ number: 4713, note: 'Now' })
  await json.fill('{"number": 4714, "note": {"deep": 1}}')
  await person.press('Enter fields instead')
  await person.page.getByRole('alert').getByText('The fields cannot show these arguments.').waitFor()
  await json.fill('{"number": 4714, "note": "Later"}')
  await person.press('Enter fields instead')
  expect(await person.page.getByLabel('number').inputValue()).toBe('4714')
  expect(await person.page.getByLabel('note').inputValue()).toBe('Later')
})

test('a key that may not create runs cannot try tools', async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const person = await arrive({ hash: '#/agents', key: `${key.id}:${secret}` })
  await person.sees('calculator')
  await expect.poll(() => person.page.getByRole('link', { name: /^Try it/ }).count()).toBe(0)
  await person.goTo('#/tools/calculator')
  await person.sees('does not have the scope runs:write')
})
