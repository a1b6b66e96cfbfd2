// The page of a decision link in a real browser: on a phone, with scripts turned off, without signing in.
import type { RunDetail } from '@runwright/contract'
import { expect, test } from 'vitest'
import { linkPath, linksOn, sendForm } from '../support/decision-links.ts'
import { addPerson } from '../support/people.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive, arriveSignedOut } = await openConsole(linksOn)

const call = {
  tool: 'send_payment',
  arguments: { iban: '***', note: 'Invoice 17 '.repeat(40), unbroken: 'x'.repeat(300), amount: 500 },
  ...{ argumentsHash: 'ab', why: 'send_payment changes the outside world.', hasRead: ['untrusted'] as const },
  ...{ callId: 'call_1', idempotencyKey: 'call_1' },
}

const personOf = (wish: Parameters<typeof addPerson>[1]) =>
  addPerson({ url: service.url, admin: caller, database: service.database }, wish)

/** What decides stands behind a first press. */
const opens = (person: Visitor, summary: string) => person.page.getByText(summary, { exact: true }).click()

const signalOf = async (id: string) =>
  (await caller.get(`/v1/runs/${id}?include=signals`)).json<RunDetail>().signals?.[0]

async function waitingPath(reasonCode = 'tool_requires_approval'): Promise<{ id: string; path: string }> {
  await personOf({ person: 'ada' })
  const { id } = await caller.newRun()
  const await_seq = await driver.toAwaiting(id, { reasonCode, prompt: 'Pay?', call })
  return { id, path: await linkPath(caller, id, { await_seq, person: 'ada' }) }
}

test('shows the whole call and takes the answer', async () => {
  const { id, path } = await waitingPath()
  const person = await arriveSignedOut({ ...phone, javaScriptEnabled: false })
  await person.page.goto(`${service.url}${path}`)
  for (const text of ['send_payment changes the outside world.', 'text from untrusted sources', '"amount": 500', 'ada'])
    await person.sees(text)
  const yes = person.page.getByRole('button', { name: 'Yes, approve' })
  expect(await yes.count()).toBe(0)
  await opens(person, 'Approve…')
  await person.sees(
    'When you approve, the call of send_payment is made with the arguments above. This cannot be taken back.',
  )
  expect((await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>().awaiting_input).toBeTruthy()
  await yes.click()
  await person.sees('Your decision is recorded. You approved.')
  expect(await person.page.evaluate('document.cookie')).toBe('')
})

test('whose call may have been made already says so, and takes what became of it', async () => {
  const { id, path } = await waitingPath('tool_outcome_unknown')
  const person = await arriveSignedOut({ ...phone, javaScriptEnabled: false })
  await person.page.goto(`${service.url}${path}`)
  await opens(person, 'Make it again…')
  await person.sees('It may have taken effect already. When you approve, the call of send_payment is made once more')
  await person.fitsOnScreen()
  await person.takePicture('decision-link-outcome')
  await person.press('It took effect')
  await person.sees('Not recorded: say what the call returned.')
  await person.press('It failed')
  await person.sees('Not recorded: say how the call failed.')
  const result = person.page.getByLabel('What the call returned, if it took effect')
  const typed = '\n{"receipt": "</textarea>\u00ad", "n": 1e999}'
  await result.fill(typed)
  await person.press('It took effect')
  await person.sees('Not recorded:')
  expect(await result.inputValue()).toBe(typed)
  await result.fill('{"receipt": "R-17"}')
  await person.press('It took effect')
  await person.sees('Your decision is recorded. You gave an answer.')
  expect(await signalOf(id)).toMatchObject({ action: 'submit_input', call: { result: { receipt: 'R-17' } } })
})

test.each([
  ['error', { action: 'submit_input', call: { error: 'Declined' } }],
  ['deny', { action: 'submit_input', call: { deny: 'Declined' } }],
  ['approve', { action: 'approve' }],
])('of a call whose outcome is not known: %s', async (answer, signal) => {
  const { id, path } = await waitingPath('tool_outcome_unknown')
  expect((await sendForm(caller, path, { answer, reason: 'Declined' })).status).toBe(200)
  expect(await signalOf(id)).toMatchObject(signal)
})

test.each(['result', 'error'])('of a call that was not made takes no %s', async (answer) => {
  const { path } = await waitingPath()
  expect((await sendForm(caller, path, { answer, reason: 'x', result: '1' })).status).toBe(400)
})

test('fits on a phone, can be read aloud, and asks nobody else for anything', async () => {
  const { path } = await waitingPath()
  const person = await arriveSignedOut(phone)
  await person.page.goto(`${service.url}${path}`)
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
  await opens(person, 'Approve…')
  await opens(person, 'Reject…')
  await person.sees('The run fails.')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
  await person.takePicture('decision-link-phone')
  await person.press('Do not make the call')
  await person.sees('Not recorded: say why the call is not to be made.')
  expect(person.requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([])
})

test('a denial is told as one, to the person and to those who come later', async () => {
  const { path } = await waitingPath()
  const person = await arriveSignedOut(phone)
  await person.page.goto(`${service.url}${path}`)
  await person.sees('A step of a plan that only makes this call fails.')
  await person.page.getByLabel('Reason, if you do not approve').fill('Paid already')
  await person.press('Do not make the call')
  await person.sees('Your decision is recorded. You said that the call is not to be made.')
  await person.page.goto(`${service.url}${path}`)
  await person.sees('This link was used: you said that the call is not to be made.')
})

test('the console says that a decision came by link, before and after the wait has ended', async () => {
  const bob = { person: 'bob', roles: ['finance'] }
  const [{ caller: other }] = await Promise.all([personOf(bob), personOf({ person: 'ada', roles: ['finance'] })])
  const { id } = await caller.newRun({ metadata: { title: 'Pay' } })
  const rules = { approvers: ['finance'], approvals: 2 }
  const await_seq = await driver.toAwaiting(id, { reasonCode: 'tool_requires_approval', prompt: 'Pay?', call, rules })
  await sendForm(caller, await linkPath(caller, id, { await_seq, person: 'ada' }), { answer: 'approve' })
  const person = await arrive({ hash: `#/decide/${id}/${await_seq}` })
  await person.sees(/Approved by ada \(finance\) by link, /)
  await other.post(`/v1/runs/${id}/signal`, { action: 'approve' })
  await person.sees(/Approved by bob \(finance\), /)
  await person.press('Close')
  await person.sees(/Approved by ada \(finance\) by link, .*, and others have to decide, too\./)
  await person.goTo(`#/runs/${id}`)
  await person.sees(/Approved by ada \(finance\) by link, /)
})

test('a page that was left open says that the link was used', async () => {
  const { path } = await waitingPath()
  const person = await arriveSignedOut(phone)
  await person.page.goto(`${service.url}${path}`)
  await sendForm(caller, path, { answer: 'reject' })
  await opens(person, 'Approve…')
  await person.press('Yes, approve')
  await person.sees('This link was used: you rejected.')
})

test('the console names the role of a link for a role, and not the program that made it', async () => {
  const { id } = await caller.newRun()
  const await_seq = await driver.toAwaiting(id, { rules: { approvers: ['finance'] } })
  await sendForm(caller, await linkPath(caller, id, { await_seq, role: 'finance' }), { answer: 'approve' })
  const person = await arrive({ hash: `#/decide/${id}/${await_seq}` })
  await person.sees(/Approved by finance by link, /)
})
