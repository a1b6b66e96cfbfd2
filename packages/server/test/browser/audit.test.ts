// The audit log in the console: an auditor reads who did what, filters it, and verifies the chain.
import type { KeyWithSecret } from '@runwright/contract'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, arrive } = await openConsole()

const newKey = async (body: object) => (await caller.post('/v1/keys', body)).json<KeyWithSecret>()

interface Page {
  readonly entries: readonly { readonly seq: number; readonly hash: string; readonly action: string }[]
}

const listAudit = async (query = '') => (await caller.get(`/v1/audit?limit=200${query}`)).json<Page>().entries

/** Until the chain has so many more entries: they are appended about a second after the act. */
const untilRecorded = (count: number) =>
  expect.poll(async () => (await listAudit()).length).toBeGreaterThanOrEqual(count)

const rows = ({ page }: Visitor) => page.getByRole('region', { name: 'Entries, newest first' }).getByRole('rowheader')

const verify = async (person: Visitor, noted = '') => {
  await person.press('Verify the chain')
  await person.page.getByLabel('A head that you noted earlier (optional)').fill(noted)
  await person.press('Verify')
}

test('entries are shown newest first, filtered by action, key and target, and the filter is in the URL', async () => {
  const before = (await listAudit()).length
  const { key } = await newKey({ name: 'robot', scopes: ['runs:read'] })
  const run = await caller.newRun()
  await caller.post(`/v1/runs/${run.id}/cancel`)
  await untilRecorded(before + 2)
  const person = await arrive({ hash: '#/audit' })
  await expect.poll(async () => (await rows(person).allInnerTexts()).join(' ')).toMatch(/run\.cancel.*key\.create/s)
  await person.takePicture('audit')
  await person.hasNoAxeFindings()
  await person.page.getByLabel('Action').selectOption('key.create')
  await person.page.getByLabel('Target').fill(key.id)
  await person.press('Filter')
  await expect.poll(() => rows(person).count()).toBe(1)
  expect(person.page.url()).toMatch(/#\/audit\?action=key\.create&target=key_/)
  await person.page.goBack()
  await expect.poll(() => rows(person).count()).toBeGreaterThan(1)
  await person.page.getByRole('link', { name: run.id }).click()
  await expect.poll(() => person.page.url()).toContain(`#/runs/${run.id}`)
})

test('the chain is verified in the browser, over all its pages, with a head to note', {
  timeout: 60_000,
}, async () => {
  const before = (await listAudit()).length
  for (let tokens = before; tokens < 210; tokens += 1)
    await caller.send({ method: 'PUT', path: '/v1/budgets/customer', body: { period: 'month', tokens } })
  await expect
    .poll(async () => (await caller.get('/v1/audit?limit=1')).json<Page>().entries[0]?.seq, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(210)
  const [newest] = await listAudit()
  const person = await arrive({ hash: '#/audit' })
  await verify(person)
  await person.sees(`Verified ${newest?.seq} entries.`)
  await person.sees(`${newest?.seq}:${newest?.hash}`)
  await person.hasNoAxeFindings()
  const [, , third] = await listAudit()
  await person.page.getByLabel('A head that you noted earlier (optional)').fill(`${third?.seq}:${'f'.repeat(64)}`)
  // What was verified without the head says nothing about it.
  await expect.poll(() => person.page.getByText(/^Verified/).count()).toBe(0)
  await person.page.keyboard.press('Enter')
  await person.sees(`entry ${third?.seq} with the hash that you noted is not among them`)
})

test('an entry that was changed in the database is found', async () => {
  await untilRecorded(3)
  await service.database.run({
    text: `update audit_entries set details = '{"scopes":["keys:admin"]}' where customer_id = 'acme' and seq = 2`,
  })
  const person = await arrive({ hash: '#/audit' })
  await verify(person)
  await person.sees('The chain is broken at entry 2. Its content does not match its hash.')
})

test('a key without audit:read sees why', async () => {
  const { key, secret } = await newKey({ scopes: ['runs:read'] })
  const person = await arrive({ hash: '#/audit', key: `${key.id}:${secret}` })
  await person.sees('does not have the scope audit:read')
})

test('nothing is wider than a phone', async () => {
  await newKey({ name: 'a-name-without-a-place-to-break-a-name-without-a-place-to-break', scopes: ['runs:read'] })
  const person = await arrive({ hash: '#/audit', options: { ...phone, colorScheme: 'dark' } })
  await rows(person).first().waitFor()
  await person.takePicture('audit-phone')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
})
