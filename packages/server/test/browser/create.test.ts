// The form of a new run: agents are suggested, problems are shown as they are typed, and the request is copied as code.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunDetail } from '@runwright/contract'
import { afterAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone } from './visitor.ts'

const folder = await mkdtemp(join(tmpdir(), 'runwright-create-'))
await writeFile(join(folder, 'clerk.md'), '---\ndescription: Sorts invoices by supplier.\n---\nSort with care.\n')
afterAll(() => rm(folder, { recursive: true }))

const { service, caller, arrive } = await openConsole({ RUNWRIGHT_AGENTS_DIR: folder })

test('an agent is suggested, an unknown one is named at once, and the run has the chosen one', async () => {
  const person = await arrive({ hash: '#/create' })
  const agent = person.page.getByLabel('Agent (optional)')
  const list = await agent.getAttribute('list')
  await expect.poll(() => person.page.locator(`[id="${list}"] option[value=clerk]`).count()).toBe(1)
  await agent.fill('nobody')
  await person.sees('No installed agent has this name.')
  await person.hasNoAxeFindings()
  await agent.fill('clerk')
  await person.page.getByRole('paragraph').filter({ hasText: 'Sorts invoices by supplier.' }).waitFor()
  await person.press('Create run')
  await expect.poll(() => person.page.url()).toMatch(/#\/runs\/run_/)
  const [id = ''] = /run_\w+/.exec(person.page.url()) ?? []
  expect((await caller.get(`/v1/runs/${id}?include=agent`)).json<RunDetail>().agent?.name).toBe('clerk')
})

test('a problem of the JSON is shown as it is typed, and there is no code as long as there is one', async () => {
  const person = await arrive({ hash: '#/create' })
  await person.sees('As code')
  await person.page.getByLabel('Input', { exact: true }).fill('{"goal": ')
  await person.page.getByRole('alert').getByText('This is not valid JSON').waitFor()
  expect(await person.page.getByText('As code').count()).toBe(0)
  await person.page.getByLabel('Input', { exact: true }).fill('{"goal": "Look."}')
  await expect.poll(() => person.page.getByRole('alert').count()).toBe(0)
  await person.sees('As code')
})

test('the request is shown as curl, TypeScript and Python, without the key', async () => {
  const person = await arrive({ hash: '#/create', options: phone })
  await person.page.getByLabel('Input', { exact: true }).fill('{"goal": "Look.", "deep": true}')
  await person.page.getByText('As code').click()
  const code = (language: string) => person.page.getByRole('region', { name: `The request in ${language}` }).innerText()
  expect(await code('curl')).toContain(`curl '${service.url}/v1/runs'`)
  await person.page.getByRole('tab', { name: 'Python' }).click()
  expect(await code('Python')).toContain('"deep": True')
  await person.page.getByRole('tab', { name: 'TypeScript' }).click()
  expect(await code('TypeScript')).toContain('client.runs.create({')
  expect(await person.page.content()).not.toContain(service.key.split(':')[1])
  await person.takePicture('create-phone')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
})
