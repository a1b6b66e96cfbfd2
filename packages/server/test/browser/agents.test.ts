// The page of agents and tools: what an operator has installed, as every key that may read runs sees it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Route } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { storedPins } from '../../src/tools/mcp/tool-pins.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

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

const billing = `export default {
  name: 'pay_invoice', description: 'Pays an invoice.', policy: 'ask', effect: 'once', run: () => null,
  input: {
    type: 'object',
    properties: { number: { type: 'integer', description: 'On the invoice.' }, note: { type: 'string' } },
    required: ['number'],
  },
}`

const mcpConfig = { mcpServers: { tracker: { command: 'tracker', args: ['argument-secret'], policy: 'deny' } } }

const folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
await writeFile(join(folder, 'clerk.md'), clerk)
await writeFile(join(folder, 'writer.md'), '---\ndescription: Writes letters.\n---\nWrite briefly.\n')
await mkdir(join(folder, 'tools'))
await writeFile(join(folder, 'tools', 'billing.mjs'), billing)
await writeFile(join(folder, 'mcp.json'), JSON.stringify(mcpConfig))
afterAll(() => rm(folder, { recursive: true }))
const { service, arrive: arriveAt } = await openConsole({
  RUNWRIGHT_AGENTS_DIR: folder,
  RUNWRIGHT_TOOLS_DIR: join(folder, 'tools'),
  RUNWRIGHT_MCP_CONFIG: join(folder, 'mcp.json'),
})
// What a worker stores when it has listed the tools of the server.
await storedPins(service.database).findChanged({ name: 'tracker', pin: false }, [
  { name: 'find', description: '<b>Finds</b> issues.', inputSchema: { type: 'object' } },
])

const arrive = async (
  options: BrowserContextOptions = {},
  prepare?: (person: Visitor) => Promise<void>,
): Promise<Visitor> => {
  const visitor = await arriveAt({ hash: '#/agents', options, ...(prepare && { prepare }) })
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

const toolNamed = ({ page }: Visitor, name: string) =>
  page.getByRole('region', { name: 'Tools' }).getByRole('listitem').filter({ hasText: name })

test('a tool is shown with its source and policy, and opens with its arguments by keyboard', async () => {
  const person = await arrive()
  const pay = toolNamed(person, 'pay_invoice')
  expect(await pay.innerText()).toMatch(
    /^pay_invoice\s+needs approval\s+own, billing\.mjs\s+Try it\s+Pays an invoice\./,
  )
  await pay.getByText('Policy and arguments').focus()
  await person.page.keyboard.press('Enter')
  await pay.getByText('Each call needs approval.').waitFor()
  await pay.getByText('must not be repeated').waitFor()
  const rows = await pay.getByRole('table', { name: 'Arguments of pay_invoice' }).getByRole('row').allInnerTexts()
  expect(rows.map((row) => row.split(/\s*\t\s*/).map((cell) => cell.trim()))).toEqual([
    ['Argument', 'Type', 'Required', 'Description'],
    ['number', 'integer', 'yes', 'On the invoice.'],
    ['note', 'string', 'no', ''],
  ])
  await person.takePicture('rest-tools')
})

test('a tool of an MCP server names the server, shows its text as text, and nothing of its configuration', async () => {
  const person = await arrive()
  expect(await toolNamed(person, 'tracker.find').innerText()).toMatch(
    /^tracker\.find\s+denied\s+MCP server tracker\s+Try it\s+<b>Finds<\/b> issues\./,
  )
  expect(await toolNamed(person, 'calculator').innerText()).toMatch(/^calculator\s+allowed\s+built-in/)
  expect(await person.page.content()).not.toContain('argument-secret')
})

test('while tools load there is a skeleton; a refusal is shown, and can be tried again', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const refusal = { error: 'forbidden', reason_code: 'SCOPE_DENIED', message: 'Not this key.', request_id: 'req_1' }
  const person = await arrive({}, async ({ page }) => {
    const refuse = async (route: Route) => {
      await held
      await route.fulfill({ status: 403, json: refusal })
    }
    await page.route('**/v1/tools', refuse, { times: 1 })
  })
  const tools = person.page.getByRole('region', { name: 'Tools' })
  await tools.getByText('Loading tools…').waitFor({ state: 'attached' })
  release()
  expect(await tools.getByRole('alert').innerText()).toContain('Not this key.')
  await person.press('Try again')
  await toolNamed(person, 'pay_invoice').waitFor()
})

test.each(['light', 'dark'] as const)('the page is clean for axe and fits on a phone, in %s', async (colorScheme) => {
  const person = await arrive({ ...phone, colorScheme })
  await person.page.getByText('Schema of the result').click()
  await toolNamed(person, 'pay_invoice').getByText('Policy and arguments').click()
  await person.hasNoAxeFindings()
  await person.fitsOnScreen()
})
