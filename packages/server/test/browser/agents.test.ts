// The page of agents and tools: what an operator has installed, as every key that may read runs sees it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
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

const folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
await writeFile(join(folder, 'clerk.md'), clerk)
await writeFile(join(folder, 'writer.md'), '---\ndescription: Writes letters.\n---\nWrite briefly.\n')
afterAll(() => rm(folder, { recursive: true }))
const { arrive: arriveAt } = await openConsole({ RUNWRIGHT_AGENTS_DIR: folder })

const arrive = async (options: BrowserContextOptions = {}): Promise<Visitor> => {
  const visitor = await arriveAt({ hash: '#/agents', options })
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
