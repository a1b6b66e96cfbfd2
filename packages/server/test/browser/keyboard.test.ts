// Tasks with runs by somebody who has only a keyboard: the focus is moved with Tab, and nothing is clicked.
import type { RunDetail } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { hasFocus, hasFocusOnContent, press, skipToContent, tabTo, type } from './by-keyboard.ts'
import { type Arrival, openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive: arriveAt } = await openConsole()

/** A person who has passed the navigation. */
const arrive = async (arrival?: Arrival): Promise<Visitor> => {
  const person = await arriveAt(arrival)
  await skipToContent(person)
  return person
}

const call = {
  ...{ tool: 'pay', arguments: { invoice: 17 }, argumentsHash: 'ab', why: 'Policy requires approval for this tool.' },
  ...{ hasRead: [], callId: 'call_1', idempotencyKey: 'call_1' },
}

const signalOf = async (id: string) => {
  const [row] = await service.database.query<{ action: string; call: string }>({
    text: 'select action, call::text as call from signals where run_id = $1',
    values: [fromWireId('run', id)],
  })
  return row
}

const openedRun = async ({ page }: Visitor): Promise<string> => {
  await expect.poll(() => page.url()).toMatch(/#\/runs\/run_/)
  return /run_\w+/.exec(page.url())?.[0] ?? ''
}

test('creates a run', async () => {
  const person = await arrive({ hash: '#/create' })
  await person.seesHeading('New run')
  await type(person, 'Input', '{"goal": "Look after the shop."}')
  await press(person, 'Create run')
  const id = await openedRun(person)
  const run = (await caller.get(`/v1/runs/${id}?include=input`)).json<RunDetail>()
  expect(run.input).toMatchObject({ input: { goal: 'Look after the shop.' } })
})

describe('a run that waits', () => {
  const arriveAtWait = async (wait: object = {}) => {
    const { id } = await caller.newRun()
    await driver.toAwaiting(id, wait)
    const person = await arrive({ hash: `#/runs/${id}`, prepare: ({ page }) => page.clock.install() })
    await person.sees('This run is awaiting input')
    await person.page.getByRole('heading', { name: 'So far' }).waitFor()
    return { id, person }
  }

  const isSent = async (person: Visitor, id: string) => {
    await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
    await person.page.clock.fastForward(6_000)
    await expect.poll(() => signalOf(id)).toBeDefined()
  }

  test('is approved', async () => {
    const { id, person } = await arriveAtWait()
    await press(person, /^Approve/)
    await hasFocus(person, /^Undo/)
    await isSent(person, id)
    expect(await signalOf(id)).toEqual({ action: 'approve', call: null })
    await hasFocusOnContent(person)
  })

  test('is approved, and who goes on meanwhile is left alone', async () => {
    const { id, person } = await arriveAtWait()
    await press(person, /^Approve/)
    await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
    await tabTo(person, 'Steps')
    await isSent(person, id)
    await person.page.getByText('This run is awaiting input').waitFor({ state: 'detached' })
    await hasFocus(person, 'Steps')
  })

  test('is approved in the inbox, and the next question is near', async () => {
    const { id } = await caller.newRun({ metadata: { title: 'Chairs' } })
    await driver.toAwaiting(id)
    await driver.toAwaiting((await caller.newRun({ metadata: { title: 'Invoice' } })).id)
    const person = await arrive({ hash: '#/inbox', prepare: ({ page }) => page.clock.install() })
    await person.page.getByRole('heading', { level: 2, name: 'Chairs' }).waitFor()
    await person.page.keyboard.press('j')
    await person.page.keyboard.press('k')
    await press(person, /^Approve/)
    await tabTo(person, 'Next question')
    await person.page.keyboard.press('Escape')
    await hasFocus(person, 'Chairs')
    await press(person, /^Approve/)
    await isSent(person, id)
    await person.sees('Approved.')
    await hasFocus(person, 'Answer to the question')
    await press(person, 'Next question')
    await person.page.getByRole('heading', { level: 2, name: 'Invoice' }).waitFor()
    await hasFocus(person, /^Invoice/)
  })

  test('has its call denied, with a reason', async () => {
    const { id, person } = await arriveAtWait({ call })
    await press(person, 'Deny the call…')
    await person.page.getByLabel('Why is the call not made?').waitFor()
    await person.page.keyboard.insertText('Ask the bank first.')
    await press(person, 'Deny the call')
    await isSent(person, id)
    expect((await signalOf(id))?.call).toContain('Ask the bank first.')
  })

  test('gets other arguments, and a call that cannot be taken back needs the chord', async () => {
    const { id, person } = await arriveAtWait({ call })
    // Arguments count as shown after half a second in view; before, the chord does nothing.
    const canBeApproved = person.page.locator('button[aria-keyshortcuts^="Control+Enter"]:enabled')
    await canBeApproved.waitFor()
    await press(person, 'Change the arguments…')
    await person.page.keyboard.press('Shift+Tab')
    await type(person, 'Arguments, as JSON', '{ "invoice": 18 }')
    await canBeApproved.waitFor()
    await person.page.keyboard.press('Control+Enter')
    await hasFocus(person, /^Undo/)
    await tabTo(person, 'Arguments of pay', 'Shift+Tab')
    await isSent(person, id)
    expect((await signalOf(id))?.call).toContain('"invoice":18')
    await hasFocusOnContent(person)
  })

  test('takes an answer back', async () => {
    const { id, person } = await arriveAtWait()
    await press(person, /^Approve/)
    await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
    await person.page.keyboard.press('Enter')
    await person.page.getByRole('timer').waitFor({ state: 'hidden' })
    await hasFocus(person, 'Answer to the question')
    await person.page.clock.fastForward(6_000)
    expect(await signalOf(id)).toBeUndefined()
    await press(person, /^Approve/)
    await hasFocus(person, /^Undo/)
  })
})

test('cancels a run, after a question', async () => {
  const { id } = await caller.newRun()
  const person = await arrive({ hash: `#/runs/${id}` })
  await person.page.getByRole('button', { name: 'Cancel run…' }).waitFor()
  await press(person, 'Cancel run…')
  await hasFocus(person, 'Keep it')
  await press(person, 'Yes, cancel it')
  await person.page.getByRole('button', { name: 'Cancel run…' }).waitFor({ state: 'detached' })
  expect((await caller.run(id)).status).toBe('cancelled')
  await hasFocus(person, /^Commands/)
})

test('retries a run', async () => {
  const { id } = await caller.newRun()
  await driver.toFailed(id)
  const person = await arrive({ hash: `#/runs/${id}` })
  await person.page.getByRole('button', { name: 'Retry', exact: true }).first().waitFor()
  await press(person, /^Retry/)
  await person.page.getByRole('button', { name: 'Cancel run…' }).waitFor()
  expect((await caller.run(id)).status).toBe('queued')
  await hasFocus(person, /^Commands/)
})

test('finds a run by a word of its title, and opens it', async () => {
  const { id } = await caller.newRun({ metadata: { title: 'Zebra crossing' } })
  await caller.newRun({ metadata: { title: 'Bus stop' } })
  const person = await arrive()
  await person.sees('Bus stop')
  await person.page.keyboard.press('/')
  await person.page.keyboard.insertText('Zebra')
  await person.page.keyboard.press('Enter')
  await person.page.getByText('Bus stop').waitFor({ state: 'hidden' })
  await person.page.getByRole('link', { name: 'Zebra crossing' }).waitFor()
  await press(person, 'Zebra crossing')
  expect(await openedRun(person)).toBe(id)
})

describe('several runs', () => {
  /** More rows than Tab should have to pass on the way to what can be done with the selected ones. */
  const rows = 15

  const newRuns = async (workspace_id: string, count: number) => {
    const ids: string[] = []
    for (let n = 1; n <= count; n += 1) {
      ids.unshift((await caller.newRun({ workspace_id, metadata: { title: `Run ${n}` } })).id)
    }
    return ids
  }

  /** With the newest two of the list selected. */
  const arriveAndSelect = async (hash: string): Promise<Visitor> => {
    const person = await arrive({ hash })
    await person.page.getByRole('row').nth(2).waitFor()
    for (const key of ['j', 'x', 'j', 'x', 's']) await person.page.keyboard.press(key)
    await hasFocus(person, 'Selected runs')
    await person.sees('2 runs selected')
    return person
  }

  const statusOf = async (id: string | undefined) => (await caller.run(id ?? '')).status

  test('are cancelled, and the focus is on the row where it was', async () => {
    const [newest, next, third] = await newRuns('cancelled', rows)
    const person = await arriveAndSelect('#/runs?workspace_id=cancelled')
    await press(person, 'Cancel 2 runs')
    await hasFocus(person, 'Keep them')
    await press(person, 'Cancel 2 runs')
    await person.sees('2 runs cancelled.')
    await hasFocus(person, 'Close')
    await person.page.keyboard.press('Enter')
    await hasFocus(person, `Run ${rows - 1}`)
    expect([await statusOf(newest), await statusOf(next), await statusOf(third)]).toEqual([
      'cancelled',
      'cancelled',
      'queued',
    ])
  })

  test('are retried, and their results stay although the runs leave the list', async () => {
    const ids = await newRuns('retried', 2)
    for (const id of ids) await driver.toFailed(id)
    const person = await arriveAndSelect('#/runs?workspace_id=retried&status=failed')
    await press(person, 'Retry 2 runs')
    await press(person, 'Retry 2 runs')
    await person.sees('No run matches.')
    await hasFocus(person, 'Close')
    expect(await person.page.getByRole('dialog').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Run 2\s+retried$/),
      expect.stringMatching(/^Run 1\s+retried$/),
    ])
    await person.page.keyboard.press('Enter')
    await hasFocusOnContent(person)
    expect(await Promise.all(ids.map(statusOf))).toEqual(['queued', 'queued'])
  })

  test('are selected no more, and the focus is on the row where it was', async () => {
    await newRuns('unselected', 2)
    const person = await arriveAndSelect('#/runs?workspace_id=unselected')
    await press(person, 'Select none')
    await hasFocus(person, 'Run 1')
  })

  test('are compared, if they are two', async () => {
    const [right, left] = await newRuns('compared', 2)
    const person = await arriveAndSelect('#/runs?workspace_id=compared')
    await press(person, 'Compare')
    await person.seesHeading('Compare two runs')
    await hasFocusOnContent(person)
    expect(person.page.url()).toContain(`left=${left}&right=${right}`)
  })
})
