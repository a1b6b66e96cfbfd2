// The inbox for people who answer many questions: only their own, and one after the other, by keyboard alone.
import type { RunList } from '@runwright/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { addPerson } from '../support/people.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive: arriveAt } = await openConsole()

// The next test begins with an empty inbox.
afterEach(async () => {
  const { runs } = (await caller.get('/v1/runs')).json<RunList>()
  for (const { id } of runs) await caller.post(`/v1/runs/${id}/cancel`)
})

const waitingRun = async (title: string, wait: Parameters<typeof driver.toAwaiting>[1] = {}): Promise<string> => {
  const { id } = await caller.newRun({ metadata: { title } })
  await driver.toAwaiting(id, { prompt: `${title}?`, ...wait })
  return id
}

const keyOfFinance = async (): Promise<string> => {
  const person = await addPerson({ ...service, admin: caller }, { roles: ['finance'] })
  return person.caller.key ?? ''
}

const withClock = ({ page }: Visitor) => page.clock.install()
const arrive = (own: { readonly hash?: string; readonly key?: string } = {}) =>
  arriveAt({ hash: '#/inbox', prepare: withClock, ...own })

const lines = async ({ page }: Visitor) =>
  (await page.getByRole('list', { name: 'Awaiting input, oldest first' }).getByRole('link').allInnerTexts()).map(
    (text) => /.*\?/.exec(text)?.[0],
  )

const seesQuestion = async (person: Visitor, title: string) => {
  await person.page.getByRole('heading', { level: 2, name: title }).filter({ visible: true }).waitFor()
  await person.canAnswer()
}

const waits = async (id: string) => {
  const run = (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<{ awaiting_input: unknown }>()
  return run.awaiting_input !== null
}

/** Tab by tab, as a person without a mouse gets there. */
const tabTo = async ({ page }: Visitor, name: string) => {
  for (let n = 0; n < 60; n += 1) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(
      '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()',
    )) as string
    if (focused === name) return
  }
  throw new Error(`Tab does not reach "${name}"`)
}

describe('the questions of one person', () => {
  test('are those that they may decide and have not decided, by keyboard and by URL', async () => {
    await waitingRun('Chairs', { rules: { approvers: ['finance'] } })
    await waitingRun('Invoice', { rules: { approvers: ['legal'] } })
    const person = await arrive({ key: await keyOfFinance() })
    await expect.poll(() => lines(person)).toEqual(['Chairs?', 'Invoice?'])
    await tabTo(person, 'For me to decide')
    await person.page.keyboard.press('Enter')
    await expect.poll(() => lines(person)).toEqual(['Chairs?'])
    expect(person.page.url()).toContain('#/inbox?assigned=me')
    const current = person.page.getByRole('navigation', { name: 'Whose questions' }).locator('[aria-current=page]')
    expect(await current.allInnerTexts()).toEqual(['For me to decide'])
    await person.hasNoAxeFindings()
    await person.takePicture('inbox-assigned')
    await person.page.keyboard.press('j')
    await expect.poll(() => person.page.url()).toContain('assigned=me&run=')
    expect(await current.allInnerTexts()).toEqual(['For me to decide'])
    await person.page.reload()
    await seesQuestion(person, 'Chairs')
    expect(await lines(person)).toEqual(['Chairs?'])
  })

  test('without any, lead to all', async () => {
    await waitingRun('Invoice', { rules: { approvers: ['legal'] } })
    const person = await arrive({ hash: '#/inbox?assigned=me', key: await keyOfFinance() })
    await person.sees('No question awaits your decision.')
    await tabTo(person, 'All that wait')
    await person.page.keyboard.press('Enter')
    await seesQuestion(person, 'Invoice')
  })
})

describe('the next question', () => {
  const turnOn = async (person: Visitor) => {
    await tabTo(person, 'Open the next question after an answer')
    await person.page.keyboard.press('Space')
  }

  test('opens by itself, while the answer counts down at the foot and can be undone', async () => {
    const ids = [await waitingRun('One'), await waitingRun('Two'), await waitingRun('Three')]
    const person = await arrive()
    await seesQuestion(person, 'One')
    await turnOn(person)
    await person.page.keyboard.press('a')
    await seesQuestion(person, 'Two')
    const foot = person.page.getByRole('region', { name: 'Your answers' })
    await foot.getByRole('link', { name: 'One' }).waitFor()
    expect(await person.page.locator(':focus').innerText()).toContain('Two?')
    await person.takePicture('inbox-advanced')
    await person.page.clock.fastForward(1_500)
    await person.page.keyboard.press('a')
    await seesQuestion(person, 'Three')
    await person.page.keyboard.press('Escape')
    await expect.poll(() => foot.getByRole('link').allInnerTexts()).toEqual(['One'])
    await person.page.clock.fastForward(6_000)
    await person.sees('Approved.')
    expect(await Promise.all(ids.map(waits))).toEqual([false, true, true])
  })

  test('is not answered by a second press of the same key, nor by a key that is held', async () => {
    const ids = [await waitingRun('One'), await waitingRun('Two'), await waitingRun('Three')]
    const person = await arrive()
    await seesQuestion(person, 'One')
    await turnOn(person)
    await person.page.keyboard.down('a')
    await seesQuestion(person, 'Two')
    await person.page.clock.fastForward(1_500)
    await person.page.keyboard.down('a')
    await person.page.keyboard.up('a')
    await seesQuestion(person, 'Two')
    // From here time passes only as the test says, however slow the machine is.
    await person.page.clock.pauseAt(((await person.page.evaluate('Date.now()')) as number) + 5_000)
    await person.page.keyboard.press('a')
    await seesQuestion(person, 'Three')
    await person.page.clock.runFor(900)
    await person.page.keyboard.press('a')
    await person.page.clock.fastForward(6_000)
    await person.page.clock.resume()
    await person.sees('Approved.')
    await expect.poll(() => Promise.all(ids.map(waits))).toEqual([false, false, true])
  })

  test('stays where it is unless this browser chose so, and the choice is kept', async () => {
    await waitingRun('One')
    await waitingRun('Two')
    const person = await arrive()
    await seesQuestion(person, 'One')
    await turnOn(person)
    await person.page.reload()
    expect(await person.page.getByLabel('Open the next question after an answer').isChecked()).toBe(true)
    await person.page.getByLabel('Open the next question after an answer').press('Space')
    await person.canAnswer()
    await person.page.keyboard.press('a')
    await person.page.getByRole('timer', { name: 'Time to undo' }).waitFor()
    await seesQuestion(person, 'One')
    expect(await person.page.evaluate('localStorage.length')).toBe(0)
  })
})
