// Tasks of the console by somebody who has only a keyboard: the focus is moved with Tab, and nothing is clicked.
import type { RunDetail } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive } = await openConsole()

/** More than any page has on the way to one of its buttons. */
const mostTabs = 120

const focused = `(() => {
  const { activeElement: element } = document
  const label = element.labels?.[0] ?? element
  return (element.getAttribute('aria-label') ?? label.innerText ?? '').trim()
})()`

/** The link of a row has its ring on what covers the row. */
const ring = `[undefined, '::after']
  .map((part) => getComputedStyle(document.activeElement, part).outlineStyle)
  .find((style) => style !== 'none')`

/** Presses Tab until the focus is on the control with this name, and checks that one can see where it is. */
async function tabTo({ page }: Visitor, name: string | RegExp): Promise<void> {
  const seen: unknown[] = []
  for (let presses = 0; presses < mostTabs; presses += 1) {
    await page.keyboard.press('Tab')
    const here = String(await page.evaluate(focused))
    seen.push(here)
    if (typeof name === 'string' ? here !== name : !name.test(here)) continue
    expect(await page.evaluate(ring)).toBeDefined()
    return
  }
  throw new Error(`Tab did not reach ${name}, but ${seen.join(' | ')}`)
}

async function press(person: Visitor, name: string | RegExp): Promise<void> {
  await tabTo(person, name)
  await person.page.keyboard.press('Enter')
}

async function type(person: Visitor, name: string | RegExp, text: string): Promise<void> {
  await tabTo(person, name)
  await person.page.keyboard.press('Control+a')
  await person.page.keyboard.insertText(text)
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
    await isSent(person, id)
    expect(await signalOf(id)).toEqual({ action: 'approve', call: null })
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
    await press(person, 'Change the arguments…')
    await person.page.keyboard.press('Shift+Tab')
    await type(person, 'Arguments, as JSON', '{ "invoice": 18 }')
    // Arguments count as shown after half a second in view; before, the chord does nothing.
    await person.page.locator('button[aria-keyshortcuts^="Control+Enter"]:enabled').waitFor()
    await person.page.keyboard.press('Control+Enter')
    await isSent(person, id)
    expect((await signalOf(id))?.call).toContain('"invoice":18')
  })

  test('takes an answer back', async () => {
    const { id, person } = await arriveAtWait()
    await press(person, /^Approve/)
    await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
    await person.page.keyboard.press('Enter')
    await person.page.getByRole('timer').waitFor({ state: 'hidden' })
    await person.page.clock.fastForward(6_000)
    expect(await signalOf(id)).toBeUndefined()
  })
})

test('cancels a run, after a question', async () => {
  const { id } = await caller.newRun()
  const person = await arrive({ hash: `#/runs/${id}` })
  await person.page.getByRole('button', { name: 'Cancel run…' }).waitFor()
  await press(person, 'Cancel run…')
  await press(person, 'Yes, cancel it')
  await expect.poll(async () => (await caller.run(id)).status).toBe('cancelled')
})

test('retries a run', async () => {
  const { id } = await caller.newRun()
  await driver.toFailed(id)
  const person = await arrive({ hash: `#/runs/${id}` })
  await person.page.getByRole('button', { name: 'Retry', exact: true }).first().waitFor()
  await press(person, /^Retry/)
  await expect.poll(async () => (await caller.run(id)).status).toBe('queued')
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
  await press(person, 'Zebra crossing')
  expect(await openedRun(person)).toBe(id)
})

test('cancels several runs', async () => {
  const ids = [(await caller.newRun()).id, (await caller.newRun()).id]
  const person = await arrive({ hash: `#/runs?status=queued` })
  for (const id of ids) {
    await tabTo(person, `Select ${id}`)
    await person.page.keyboard.press('Space')
  }
  await press(person, 'Cancel 2 runs')
  await person.page.getByRole('dialog').waitFor()
  await press(person, 'Cancel 2 runs')
  for (const id of ids) await expect.poll(async () => (await caller.run(id)).status).toBe('cancelled')
})
