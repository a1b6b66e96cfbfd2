// Decisions in the console: what one press may do, how one takes it back, and what becomes of a decision when the page,
// the network or somebody else is faster.
import { describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { Driver } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

const call = (own: object = {}) => ({
  tool: 'pay',
  arguments: { invoice: 17 },
  argumentsHash: 'ab',
  why: 'Policy requires approval for this tool.',
  hasRead: [],
  callId: 'call_1',
  idempotencyKey: 'call_1',
  ...own,
})

const waitingRun = async (wait: Parameters<Driver['toAwaiting']>[1] = {}, request: object = {}) => {
  const { id } = await caller.newRun(request)
  const awaitSeq = await driver.toAwaiting(id, wait)
  return { id, awaitSeq }
}

const arriveAt = async (id: string, prepare?: (visitor: Visitor) => Promise<unknown>): Promise<Visitor> => {
  const visitor = await arrive({ hash: `#/runs/${id}`, ...(prepare && { prepare }) })
  await visitor.sees('This run is awaiting input')
  await visitor.canAnswer()
  return visitor
}

const signalsOf = async (id: string) => {
  const rows = await service.database.query<{ action: string }>({
    text: 'select action from signals where run_id = $1',
    values: [fromWireId('run', id)],
  })
  return rows.map(({ action }) => action)
}

const sentBy = ({ requests }: Visitor) => requests.filter((url) => url.endsWith('/signal')).length

/** With a clock that the test moves, so that five seconds pass at once. */
const withClock = ({ page }: Visitor) => page.clock.install()
const passTime = ({ page }: Visitor, ms = 6_000) => page.clock.fastForward(ms)

const counts = ({ page }: Visitor) => page.getByRole('timer', { name: 'Time to undo' }).waitFor()

describe('a shortcut works exactly where its button is', () => {
  test('six questions for an address: a sends nothing', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n += 1) {
      const { id } = await waitingRun({ inputKind: 'payload', prompt: `Which address, number ${n}?` })
      ids.push(id)
    }
    const person = await arrive({ hash: '#/inbox', prepare: withClock })
    for (let n = 0; n < 6; n += 1) {
      await person.page.getByText(`Which address, number ${n}?`).filter({ visible: true }).last().waitFor()
      await person.canAnswer()
      await person.page.locator('main').focus()
      await person.page.keyboard.press('a')
      await person.page.keyboard.press('Control+Enter')
      await person.page.keyboard.press('j')
    }
    await passTime(person)
    expect(sentBy(person)).toBe(0)
    for (const id of ids) expect((await caller.run(id)).status).toBe('running')
    await person.page.keyboard.press('?')
    await person.page.getByRole('dialog').getByText('Next question').waitFor()
    expect(await person.page.getByRole('dialog').getByText('Approve').count()).toBe(0)
    for (const id of ids) await caller.post(`/v1/runs/${id}/cancel`)
  })

  test('of a key that may only read, no key answers', async () => {
    const { id } = await waitingRun()
    const { key, secret } = (await caller.post('/v1/keys', { scopes: ['runs:read'] })).json<{
      key: { id: string }
      secret: string
    }>()
    const person = await arrive({ hash: `#/runs/${id}`, key: `${key.id}:${secret}`, prepare: withClock })
    await person.sees('Your key may read this run, but not answer it')
    for (const press of ['a', 'r', 'Control+Enter']) await person.page.keyboard.press(press)
    await passTime(person)
    expect(sentBy(person)).toBe(0)
  })
})

describe('a call that cannot be taken back', () => {
  test('is not approved by a letter or a click, but by Ctrl and Enter', async () => {
    const { id } = await waitingRun({ call: call() })
    const person = await arriveAt(id)
    await person.page.locator('main').focus()
    await person.page.keyboard.press('a')
    await person.press('Approve')
    await person.sees('Hold the button, or press Ctrl+Enter.')
    expect(await person.page.getByRole('timer').count()).toBe(0)
    await person.page.keyboard.press('Control+Enter')
    await counts(person)
    await person.takePicture('decision-counting')
    await person.hasNoAxeFindings()
    await person.sees('Approved.')
    expect(await signalsOf(id)).toEqual(['approve'])
  })

  test('is approved by holding the button, and letting go early does nothing', async () => {
    const { id } = await waitingRun({ call: call() })
    const person = await arriveAt(id, withClock)
    const button = person.page.getByRole('button', { name: 'Approve', exact: true })
    await button.hover()
    await person.page.mouse.down()
    await passTime(person, 400)
    await person.page.mouse.up()
    await passTime(person, 2_000)
    expect(await person.page.getByRole('timer').count()).toBe(0)
    await person.page.mouse.down()
    await passTime(person, 900)
    await person.page.mouse.up()
    await counts(person)
    await passTime(person)
    await person.sees('Approved.')
    expect(await signalsOf(id)).toEqual(['approve'])
  })

  test('shows the old and the new text as one comparison', async () => {
    const edit = { path: 'terms.md', old_text: 'Pay within 30 days.', new_text: 'Pay within 3 days.' }
    const { id } = await waitingRun({ call: call({ tool: 'edit_file', arguments: edit }) })
    const person = await arriveAt(id)
    const diff = person.page.getByRole('group', { name: 'Comparison of old_text and new_text' })
    expect(await diff.locator('del').innerText()).toContain('30')
    expect(await diff.locator('ins').innerText()).toContain('3')
    await person.takePicture('decision-diff')
    await person.hasNoAxeFindings()
  })

  test('can be denied with a reason, or made with other arguments', async () => {
    const { id, awaitSeq } = await waitingRun({ call: call({ arguments: { invoice: 17, iban: '***' } }) })
    const bodies: unknown[] = []
    const person = await arriveAt(id, async (visitor) => {
      await withClock(visitor)
      await visitor.page.route('**/signal', (route) => {
        bodies.push(route.request().postDataJSON())
        return route.fulfill({ status: 503, json: {} })
      })
    })
    await person.press('Deny the call…')
    await person.page.getByLabel('Why is the call not made?').fill('Ask the bank first.')
    await person.hasNoAxeFindings()
    await person.press('Deny the call')
    await counts(person)
    await person.page.keyboard.press('Escape')
    await person.press('Change the arguments…')
    const json = person.page.getByLabel('Arguments, as JSON')
    await json.fill('{ "invoice": 18, "iban": "***", "to": "***" }')
    await person.showsAllArguments()
    await person.page.locator('button[aria-keyshortcuts^="Control+Enter"]:enabled').waitFor()
    await person.page.keyboard.press('Control+Enter')
    await person.sees(/^to: \*\*\* stands for a value that is not shown to you\./)
    await json.fill('{ "invoice": 18, "iban": "***" }')
    await person.page.getByRole('group', { name: 'Comparison of the arguments' }).waitFor()
    await person.takePicture('decision-change')
    await person.hasNoAxeFindings()
    await person.page.keyboard.press('Control+Enter')
    await counts(person)
    await passTime(person)
    await expect
      .poll(() => bodies[0])
      .toEqual({
        action: 'submit_input',
        call: { arguments: { invoice: 18, iban: '***' } },
        await_seq: awaitSeq,
      })
  })
})

describe('before it is sent, a decision', () => {
  test('is undone with Escape, and the draft stays', async () => {
    const { id } = await waitingRun()
    const person = await arriveAt(id, withClock)
    await person.press('Reject…')
    await person.page.getByLabel('Why do you reject it?').fill('Too expensive')
    await person.press('Reject and fail the run')
    await counts(person)
    await person.page.keyboard.press('Escape')
    await passTime(person, 60_000)
    expect(sentBy(person)).toBe(0)
    expect(await person.page.getByLabel('Why do you reject it?').inputValue()).toBe('Too expensive')
  })

  test('follows the person to another page, where it can be undone', async () => {
    const { id } = await waitingRun({}, { metadata: { title: 'Chairs' } })
    const person = await arriveAt(id, withClock)
    await person.press('Approve')
    await person.goTo('#/system')
    const bar = person.page.getByRole('region', { name: 'Your answers' })
    await bar.getByRole('link', { name: 'Chairs' }).waitFor()
    await person.takePicture('decision-bar')
    await person.hasNoAxeFindings()
    await bar.getByRole('button', { name: /Undo/ }).click()
    await passTime(person, 60_000)
    expect(sentBy(person)).toBe(0)
  })

  test('is sent once, also from another page', async () => {
    const { id } = await waitingRun()
    const person = await arriveAt(id, withClock)
    await person.press('Approve')
    await person.goTo('#/system')
    await passTime(person)
    await person.sees('Approved.')
    expect(sentBy(person)).toBe(1)
    expect(await signalsOf(id)).toEqual(['approve'])
  })

  test('is not sent if the page is loaded again, and the person is told', async () => {
    const { id } = await waitingRun({}, { metadata: { title: 'Chairs' } })
    const person = await arriveAt(id, withClock)
    // The browser asks before the page is left.
    const asked = person.page.waitForEvent('dialog')
    await person.press('Approve')
    const reload = person.page.reload()
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
    await reload
    await person.sees(/Your approval of Chairs was not sent: the page was closed before\. The run still awaits it\./)
    await person.takePicture('decision-not-sent')
    await person.hasNoAxeFindings()
    await passTime(person, 60_000)
    expect(sentBy(person)).toBe(0)
    await person.press('Close')
    expect(await signalsOf(id)).toEqual([])
  })

  test('is told to no one else who signs in to the same tab', async () => {
    const { id } = await waitingRun({}, { metadata: { title: 'Chairs' } })
    const person = await arriveAt(id, withClock)
    await person.press('Approve')
    await counts(person)
    await person.press('Sign out')
    await person.page.getByLabel('API key').waitFor()
    await person.signIn(service.otherKey)
    // The page knows who is signed in.
    await person.page.getByText('other', { exact: true }).waitFor({ state: 'attached' })
    expect(await person.page.getByText('Chairs').count()).toBe(0)
    expect(await signalsOf(id)).toEqual([])
  })

  test('is held while the browser is offline, and goes when the person says so', async () => {
    const { id } = await waitingRun()
    const person = await arriveAt(id, withClock)
    await person.press('Approve')
    await person.page.context().setOffline(true)
    await passTime(person)
    await person.sees('The browser is offline: your answer was not sent.')
    await person.page.context().setOffline(false)
    expect(await signalsOf(id)).toEqual([])
    await person.press('Send it now')
    await person.sees('Approved.')
    expect(await signalsOf(id)).toEqual(['approve'])
  })

  test('is not sent if somebody else answers meanwhile, and the person reads who it was', async () => {
    const { id } = await waitingRun()
    const person = await arriveAt(id, withClock)
    await person.press('Approve')
    await counts(person)
    await caller.post(`/v1/runs/${id}/signal`, { action: 'reject' })
    await person.sees('Somebody else answered first.')
    await passTime(person, 60_000)
    expect(sentBy(person)).toBe(0)
    expect(await signalsOf(id)).toEqual(['reject'])
  })

  test('whose reply is lost counts once when it is sent again', async () => {
    const { id } = await waitingRun()
    const keys: (string | undefined)[] = []
    const person = await arriveAt(id, async (visitor) => {
      await withClock(visitor)
      // The service takes it, and the reply does not arrive.
      await visitor.page.route('**/signal', async (route) => {
        keys.push(route.request().headers()['idempotency-key'])
        await route.fetch()
        await route.abort()
      })
    })
    await person.press('Approve')
    await passTime(person)
    await expect.poll(() => keys.length).toBeGreaterThan(0)
    for (let n = 0; n < 4; n += 1) await passTime(person, 30_000)
    await person.page.unrouteAll({ behavior: 'wait' })
    expect(new Set(keys).size).toBe(1)
    expect(await signalsOf(id)).toEqual(['approve'])
  })
})

test('on a phone, the whole decision fits', async () => {
  const { id } = await waitingRun({ call: call({ arguments: { to: 'a'.repeat(300) } }) })
  const person = await arrive({ hash: `#/runs/${id}`, options: phone })
  await person.page.getByRole('heading', { name: 'So far' }).waitFor()
  await person.press('Change the arguments…')
  await person.fitsOnScreen()
  await person.takePicture('decision-phone')
})
