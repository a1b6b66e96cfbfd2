// The page of one question, which messages link to: on a phone, signed out, answered already, over, of another
// customer.
import type { RunDetail } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { addPerson } from '../support/people.ts'
import { hasFocusOnContent, tabTo } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive, arriveSignedOut } = await openConsole()

const call = {
  tool: 'send_payment',
  arguments: { iban: '***', note: 'Invoice 17 '.repeat(400), amount: 500 },
  ...{ argumentsHash: 'ab', why: 'send_payment changes the outside world.', hasRead: ['untrusted'] as const },
  ...{ callId: 'call_1', idempotencyKey: 'call_1' },
}

const waitingRun = async () => {
  const { id } = await caller.newRun()
  const seq = await driver.toAwaiting(id, { reasonCode: 'tool_requires_approval', prompt: 'Pay?', call })
  return { id, seq, hash: `#/decide/${id}/${seq}` }
}

test('on a phone it shows the whole call, who asks and why, and takes the answer', async () => {
  const { id, hash } = await waitingRun()
  const person = await arrive({ hash, options: phone, prepare: ({ page }) => page.clock.install() })
  for (const text of ['send_payment changes the outside world.', 'text from an untrusted source', '500', 'Created by'])
    await person.sees(text)
  // A call that cannot be taken back: all of it must have been on the screen, and the button is held.
  const approve = person.page.getByRole('button', { name: 'Approve', exact: true })
  expect(await approve.isEnabled()).toBe(false)
  await person.showsAllArguments()
  await expect.poll(() => approve.isEnabled()).toBe(true)
  // A picture of the whole page puts all of it on the screen.
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
  await person.takePicture('decide-phone')
  await approve.hover()
  await person.page.mouse.down()
  await person.page.clock.fastForward(2_000)
  await person.page.mouse.up()
  await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
  await tabTo(person, 'Arguments of send_payment', 'Shift+Tab')
  await person.page.clock.fastForward(6_000)
  await person.sees('This question is answered')
  await hasFocusOnContent(person)
  expect((await caller.run(id)).status).toBe('running')
})

test('a link is kept through the sign-in', async () => {
  const { hash } = await waitingRun()
  const person = await arriveSignedOut(phone)
  await person.goTo(hash)
  await person.signIn(service.key)
  await person.sees('send_payment changes the outside world.')
})

test('a question with rules says who decides, and takes its data as the schema says', async () => {
  const ada = await addPerson({ ...service, admin: caller }, { person: 'Ada', roles: ['finance'] })
  const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
  const { id } = await caller.newRun()
  const seq = await driver.toAwaiting(id, {
    prompt: 'At which price?',
    rules: {
      ...{ approvers: ['finance'], approvals: 2, not_requester: true, approval_schema: schema },
      ...{ escalate_after_seconds: 600, escalate_to: ['board'] },
    },
  })
  const prepare = ({ page }: Visitor) => page.clock.install()
  const person = await arrive({ hash: `#/decide/${id}/${seq}`, key: ada.caller.key ?? '', prepare })
  const rules = person.page.getByRole('region', { name: 'Who decides' })
  await expect
    .poll(() => rules.innerText())
    .toMatch(
      /2 different people must give the same answer, with one of the roles finance, and not who created the run\. One rejection is enough\. From .* on, board may decide, too\./,
    )
  await person.page.getByLabel('price').fill('7')
  await person.press('Approve with this data')
  await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
  await person.page.clock.fastForward(6_000)
  await person.sees(/Approved by Ada \(finance\), /)
  await person.hasNoAxeFindings()
  const { awaiting_input } = (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>()
  expect(awaiting_input?.decisions).toMatchObject([{ action: 'approve', person: 'Ada', payload: { price: 7 } }])
})

test('a decision that was counted while its page was closed has arrived, although others decide, too', async () => {
  const { id } = await caller.newRun({ metadata: { title: 'Tables' } })
  const seq = await driver.toAwaiting(id, { prompt: 'Buy them?', rules: { approvals: 2 } })
  const prepare = async ({ page }: Visitor) => {
    await page.clock.install()
    // The service takes it, and the page is closed before the reply.
    await page.route('**/signal', async (route) => {
      await route.fetch()
      page.on('dialog', (dialog) => dialog.accept())
      const reload = page.reload()
      await route.abort()
      await reload
    })
  }
  const person = await arrive({ hash: `#/decide/${id}/${seq}`, prepare })
  await person.press('Approve')
  await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
  await person.page.clock.fastForward(6_000)
  await person.sees(/Your approval of Tables was on its way when the page was closed, and has arrived\./)
})

describe('somebody else answers first', () => {
  test('what was entered stays, until the person closes it', async () => {
    const { id, seq, hash } = await waitingRun()
    const person = await arrive({ hash })
    await person.press('Deny the call…')
    const reason = person.page.getByLabel('Why is the call not made?')
    await reason.fill('Ask the bank first')
    await caller.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq: seq })
    await person.sees('Somebody else answered first.')
    expect(await reason.inputValue()).toBe('Ask the bank first')
    await person.takePicture('decide-late')
    await person.hasNoAxeFindings()
    await person.press('Close')
    await person.sees('This question is answered')
    await hasFocusOnContent(person)
  })

  test('the answer to a later question is not taken for one to this', async () => {
    const { id, hash } = await waitingRun()
    const person = await arrive({ hash })
    await person.sees('send_payment changes the outside world.')
    // What became of the question is read after the later one was answered.
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await person.page.route(/include=signals$/, async (route) => {
      await released
      await route.continue()
    })
    const asked = person.page.waitForRequest(/include=signals$/)
    // Its time is over.
    await driver.replanAfterTimeout(id)
    await asked
    const later = await driver.toAwaiting(id, { prompt: 'And then?' })
    await caller.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq: later })
    release()
    await person.sees('The run no longer awaits this input.')
    expect(await person.page.getByText('Approved by').count()).toBe(0)
  })
})

describe('a question', () => {
  test('that somebody has answered says who and what', async () => {
    const { id, seq, hash } = await waitingRun()
    await caller.post(`/v1/runs/${id}/signal`, {
      action: 'reject',
      payload: { reason: 'Paid already' },
      await_seq: seq,
    })
    const person = await arrive({ hash })
    await person.sees('This question is answered')
    await person.sees('Reason: Paid already')
    expect(await person.page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  test('whose run has ended, or that never was, is over', async () => {
    const { id, seq, hash } = await waitingRun()
    await caller.post(`/v1/runs/${id}/cancel`, {})
    const person = await arrive({ hash })
    await person.sees('This question is over')
    await person.goTo(`#/decide/${id}/${seq + 40}`)
    await person.sees('This question is over')
  })

  test('that came before the current one leads to it', async () => {
    const { id, seq } = await waitingRun()
    const person = await arrive({ hash: `#/decide/${id}/1` })
    await person.sees('The run waits for another answer now.')
    await person.page.getByRole('link', { name: 'Open that question' }).click()
    await person.sees('send_payment changes the outside world.')
    expect(person.page.url()).toContain(`/decide/${id}/${seq}`)
  })

  test('of another customer is not shown, and the page says as whom one is signed in', async () => {
    const { hash } = await waitingRun()
    const person = await arrive({ hash, key: service.otherKey })
    await person.sees('This question is not here')
    await person.sees('of the customer other')
    expect(await person.page.getByText('send_payment').count()).toBe(0)
  })
})
