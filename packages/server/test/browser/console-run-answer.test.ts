// Answering a run in the console: approve, reject, submit data, two people at once, and a key that may not answer.
import type { KeyWithSecret, RunDetail } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Driver } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

const arriveAt = async (id: string, key = service.key, options = {}): Promise<Visitor> => {
  const visitor = await arrive({ hash: `#/runs/${id}`, key, options })
  await visitor.sees('This run is awaiting input')
  await visitor.canAnswer()
  return visitor
}

const waitingRun = async (wait: Parameters<Driver['toAwaiting']>[1] = {}) => {
  const { id } = await caller.newRun()
  const awaitSeq = await driver.toAwaiting(id, wait)
  return { id, awaitSeq }
}

const signalsOf = async (id: string) => {
  const rows = await service.database.query<{ action: string; payload: string | null }>({
    text: 'select action, payload from signals where run_id = $1',
    values: [fromWireId('run', id)],
  })
  return rows.map(({ action, payload }) => ({ action, payload: payload === null ? null : JSON.parse(payload) }))
}

const isGone = ({ page }: Visitor) => page.getByText('This run is awaiting input').waitFor({ state: 'hidden' })

test('a question is approved with one press and sent five seconds later, and the page says so', async () => {
  const { id, awaitSeq } = await waitingRun({ prompt: 'Pay 1,146.00?', reasonCode: 'payment_over_limit' })
  const person = await arriveAt(id)
  await person.sees('Pay 1,146.00?')
  await person.takePicture('core-wait')
  await person.hasNoAxeFindings()
  const request = person.page.waitForRequest('**/signal')
  await person.press('Approve')
  const sent = await request
  expect(sent.postDataJSON()).toEqual({ action: 'approve', await_seq: awaitSeq })
  expect(sent.headers()['idempotency-key']).toBeDefined()
  await person.sees('Approved.')
  await isGone(person)
  expect(await signalsOf(id)).toEqual([{ action: 'approve', payload: null }])
  expect(await person.page.evaluate('document.activeElement.tagName')).toBe('MAIN')
})

test('a rejection asks for the reason, which stays on the run', async () => {
  const { id } = await waitingRun()
  const person = await arriveAt(id)
  await person.press('Reject…')
  await person.hasNoAxeFindings()
  await person.page.getByLabel('Why do you reject it?').fill('Paid already')
  await person.press('Reject and fail the run')
  await isGone(person)
  expect(await signalsOf(id)).toEqual([{ action: 'reject', payload: { reason: 'Paid already' } }])
})

test('about a call whose outcome is not known, the page says what is known, and that it failed can be the answer', async () => {
  const prompt = 'It is not known whether this call of pay took effect. The earlier attempt may still be running.'
  const call = {
    tool: 'pay',
    arguments: { invoice: 17 },
    argumentsHash: 'ab',
    why: 'The call failed after it was sent.',
    hasRead: [],
    callId: 'call_second',
    idempotencyKey: 'call_first',
  }
  const { id, awaitSeq } = await waitingRun({ reasonCode: 'tool_outcome_unknown', prompt, call })
  const person = await arriveAt(id)
  for (const text of [prompt, 'call_second', 'call_first', 'once more']) await person.sees(text)
  await person.press('The call failed…')
  await person.takePicture('core-wait-outcome')
  await person.hasNoAxeFindings()
  await person.page.getByLabel('How did the call fail?').fill('Card declined.')
  const request = person.page.waitForRequest('**/signal')
  await person.press('Say that it failed')
  const body = { action: 'submit_input', call: { error: 'Card declined.' }, await_seq: awaitSeq }
  expect((await request).postDataJSON()).toEqual(body)
  await isGone(person)
})

describe('data', () => {
  test('is entered as fields, with the values of their type', async () => {
    const { id } = await waitingRun({ inputKind: 'payload', prompt: 'Which account?' })
    const person = await arriveAt(id)
    const { page } = person
    await person.press('Send the data')
    await person.sees('Enter at least one field.')
    await page.getByLabel('Name of field 1').fill('account')
    await page.getByLabel('Value of field 1').fill('DE-000-42')
    await person.press('Add a field')
    await page.getByLabel('Name of field 2').fill('amount')
    await page.getByLabel('Type of field 2').selectOption('number')
    await page.getByLabel('Value of field 2').fill('12.5')
    await person.takePicture('core-wait-fields')
    await person.hasNoAxeFindings()
    await person.press('Send the data')
    await isGone(person)
    expect(await signalsOf(id)).toEqual([{ action: 'submit_input', payload: { account: 'DE-000-42', amount: 12.5 } }])
  })

  test('is entered as JSON, and sent only if it is JSON', async () => {
    const { id } = await waitingRun({ inputKind: 'payload' })
    const person = await arriveAt(id)
    await person.press('Enter JSON instead: Data for the run')
    await person.page.getByLabel('Data for the run, as JSON').fill('{')
    await person.press('Send the data')
    await person.sees('This is not valid JSON')
    await person.page.getByLabel('Data for the run, as JSON').fill('["a", 1]')
    await person.press('Send the data')
    await isGone(person)
    expect(await signalsOf(id)).toEqual([{ action: 'submit_input', payload: ['a', 1] }])
  })
})

describe('two people at once', () => {
  test('the second one reads who answered what, and keeps the draft', async () => {
    const { id } = await waitingRun()
    const second = await arriveAt(id)
    await second.press('Reject…')
    await second.page.getByLabel('Why do you reject it?').fill('Too expensive')
    // The first answer arrives at the service while the second one is on its way.
    await second.page.route('**/signal', async (route) => {
      await caller.post(`/v1/runs/${id}/signal`, { action: 'approve' })
      await route.continue()
    })
    await second.press('Reject and fail the run')
    await second.sees('Somebody else answered first.')
    const { signals } = (await caller.get(`/v1/runs/${id}?include=signals`)).json<RunDetail>()
    await second.sees(`Approved by ${signals?.[0]?.key_name ?? signals?.[0]?.key_id}`)
    expect(await second.page.getByLabel('Why do you reject it?').inputValue()).toBe('Too expensive')
    await second.hasNoAxeFindings()
    expect(await signalsOf(id)).toEqual([{ action: 'approve', payload: null }])
    await second.press('Close')
    await second.page.getByText('Somebody else answered first.').waitFor({ state: 'hidden' })
  })

  test('who is still typing learns of the answer without pressing anything', async () => {
    const { id } = await waitingRun()
    const first = await arriveAt(id)
    const second = await arriveAt(id)
    await second.press('Reject…')
    await second.page.getByLabel('Why do you reject it?').fill('Half a sen')
    await first.press('Approve')
    await second.sees('Somebody else answered first.')
    expect(await second.page.getByLabel('Why do you reject it?').inputValue()).toBe('Half a sen')
    expect(await second.page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
  })
})

test('a and r answer by keyboard', async () => {
  const { id } = await waitingRun()
  const person = await arriveAt(id)
  await person.page.keyboard.press('r')
  await person.page.getByLabel('Why do you reject it?').waitFor()
  await person.page.keyboard.type('a reason')
  expect(await signalsOf(id)).toEqual([])
  await person.page.locator('main').focus()
  await person.page.keyboard.press('a')
  await isGone(person)
  expect(await signalsOf(id)).toEqual([{ action: 'approve', payload: null }])
})

test('a key that is held answers one question, not the next one', async () => {
  const { id } = await waitingRun()
  const person = await arriveAt(id)
  await person.page.locator('main').focus()
  await person.page.keyboard.down('r')
  const reason = person.page.getByLabel('Why do you reject it?')
  await reason.waitFor()
  await person.page.locator('main').focus()
  // The browser repeats the key: it would close what it has opened.
  await person.page.keyboard.down('r')
  await person.page.keyboard.down('r')
  await person.page.keyboard.down('r')
  expect(await reason.isVisible()).toBe(true)
})

test('a key that may only read sees why before pressing', async () => {
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<KeyWithSecret>()
  const { id } = await waitingRun()
  const person = await arrive({ hash: `#/runs/${id}`, key: `${key.id}:${secret}` })
  await person.sees('Your key may read this run, but not answer it')
  expect(await person.page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
})

test('fits on a phone', async () => {
  const { id } = await waitingRun({ prompt: 'A-rather-long-question-without-a-place-to-break-it-anywhere-at-all?' })
  const person = await arriveAt(id, service.key, phone)
  await person.press('Answer with data…')
  await person.fitsOnScreen()
})
