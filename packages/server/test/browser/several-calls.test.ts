// Several calls of one turn with one answer, by keyboard alone, and what the history says of an edited call.
import type { RunDetail } from '@runwright/contract'
import { expect, test } from 'vitest'
import { addPerson } from '../support/people.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

const call = (callId: string, amount: number) => ({
  tool: 'pay',
  arguments: { invoice: callId, amount },
  argumentsHash: 'ab',
  why: 'Policy requires approval for this tool.',
  hasRead: [],
  callId,
  idempotencyKey: callId,
})

const waitingRun = async (): Promise<string> => {
  const { id } = await caller.newRun({ metadata: { title: 'Pay invoices' } })
  const others = [call('call_2', 200), call('call_3', 300)].map((one) => ({ key: one.callId, prompt: null, call: one }))
  await driver.toAwaiting(id, { call: call('call_1', 100), others })
  return id
}

const open = async (id: string, key = service.key): Promise<Visitor> => {
  const person = await arrive({ hash: `#/runs/${id}`, key, prepare: ({ page }) => page.clock.install() })
  await person.sees('This run is awaiting input')
  return person
}

const choose = async ({ page }: Visitor, nth: string, word: string) =>
  page.getByRole('group', { name: nth }).getByRole('radio', { name: word }).press('Space')

const signalOf = async (id: string) =>
  (await caller.get(`/v1/runs/${id}?include=signals`)).json<RunDetail>().signals?.[0]

test('one is approved, one denied with a reason, and one is asked about again', async () => {
  const id = await waitingRun()
  const person = await open(id)
  const { page } = person
  await page.getByRole('button', { name: 'Decide about all calls…' }).press('Enter')
  await choose(person, '1. pay', 'Approve')
  await choose(person, '2. pay', 'Deny')
  const send = page.getByRole('button', { name: 'Send these decisions' })
  await choose(person, '3. pay', 'Ask again')
  await page.getByLabel('Why is the call not made?').fill('Paid already')
  await person.showsAllArguments()
  await expect.poll(() => send.isEnabled()).toBe(true)
  await person.takePicture('several-calls')
  await person.hasNoAxeFindings()
  // The tool is not known here, so it counts as one that must not be repeated.
  await page.keyboard.press('Control+Enter')
  await page.getByRole('timer', { name: 'Time to undo' }).waitFor()
  await page.clock.fastForward(6_000)
  await person.page
    .getByRole('status')
    .filter({ hasText: /^2 calls decided: 1 approved, 1 denied\.$/ })
    .first()
    .waitFor()
  expect(await person.page.getByText('Your data was sent').count()).toBe(0)
  expect(await signalOf(id)).toMatchObject({
    action: 'submit_input',
    calls: [
      { call_id: 'call_1', approve: true },
      { call_id: 'call_2', deny: 'Paid already' },
    ],
  })
})

test('a denial without a reason, and no decision at all, are not sent', async () => {
  const person = await open(await waitingRun())
  const { page } = person
  await page.getByRole('button', { name: 'Decide about all calls…' }).press('Enter')
  await page.getByRole('button', { name: 'Send these decisions' }).press('Enter')
  await person.sees('Decide about at least one of the calls.')
  await choose(person, '3. pay', 'Deny')
  await page.getByRole('button', { name: 'Send these decisions' }).press('Enter')
  await person.sees('Say why a call is denied: the model reads it.')
  expect(person.requests.filter((url) => url.endsWith('/signal'))).toEqual([])
})

test('the history says who, with which roles, and what was edited', async () => {
  const { id } = await caller.newRun({ metadata: { title: 'Pay' } })
  await driver.toAwaiting(id, { call: call('call_1', 500) })
  const ada = await addPerson({ ...service, admin: caller }, { person: 'Ada', roles: ['finance'] })
  const reply = await ada.caller.post(`/v1/runs/${id}/signal`, {
    action: 'submit_input',
    call: { arguments: { invoice: 'call_1', amount: 450 } },
  })
  expect(reply.status).toBe(200)
  const { seq } = (await signalOf(id)) ?? { seq: 0 }
  const person = await arrive({ hash: `#/decide/${id}/${seq - 1}` })
  await person.sees(/Approved by Ada \(finance\), edited amount 500 → 450/)
  await person.hasNoAxeFindings()
})
