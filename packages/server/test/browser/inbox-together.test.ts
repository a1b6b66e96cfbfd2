// Equal questions of the inbox, answered with one press, by keyboard alone: each shown, each a decision with its own
// undo.
import type { RunDetail, RunList } from '@runwright/contract'
import { afterEach, expect, test } from 'vitest'
import { addPerson } from '../support/people.ts'
import { hasFocus, press, skipToContent, tabTo } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { service, caller, driver, arrive: arriveAt } = await openConsole()

// The next test begins with an empty inbox.
afterEach(async () => {
  const { runs } = (await caller.get('/v1/runs')).json<RunList>()
  for (const { id } of runs) await caller.post(`/v1/runs/${id}/cancel`)
})

const waitingRun = async (title: string, given: unknown, { tool = 'pay', rules = {} } = {}): Promise<string> => {
  const { id } = await caller.newRun({ metadata: { title } })
  const why = 'Policy requires approval for this tool.'
  const call = { tool, arguments: given, argumentsHash: 'ab', why, hasRead: [], callId: 'call_1', idempotencyKey: id }
  await driver.toAwaiting(id, { call, rules })
  return id
}

const payments = async (note = 'Chairs', asked: Parameters<typeof waitingRun>[2] = {}) => [
  await waitingRun('Oakline', { amount: 100, note }, asked),
  await waitingRun('Ridge', { amount: 200, note }, asked),
  await waitingRun('Summit', { amount: 300, note }, asked),
]

const arrive = (options = {}, key = service.key): Promise<Visitor> =>
  arriveAt({ hash: '#/inbox', options, key, prepare: ({ page }) => page.clock.install() })

const together = 'Decide about all 3 such questions together…'

/** From the beginning of the page. */
const open = async (person: Visitor) => {
  await button(person, together).waitFor()
  await skipToContent(person)
  await press(person, together)
  await person.page.getByRole('region', { name: '3 questions about pay' }).waitFor()
  await hasFocus(person, 'Back to one question')
}

const choose = async (person: Visitor, name: string, tab: 'Tab' | 'Shift+Tab' = 'Tab') => {
  await tabTo(person, name, tab)
  await person.page.keyboard.press('Space')
}

const button = ({ page }: Visitor, name: string) => page.getByRole('button', { name, exact: true }).last()

const answersOf = async (ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const { signals } = (await caller.get(`/v1/runs/${id}?include=signals`)).json<RunDetail>()
      return signals?.map(({ action, call }) => call?.deny ?? action)
    }),
  )

test('are approved with one chord, and each can be undone by itself', async () => {
  const ids = await payments()
  await waitingRun('Another tool', { amount: 1, note: 'x' }, { tool: 'refund' })
  await waitingRun('Another shape', { amount: 1, note: 'x', urgent: true })
  const person = await arrive()
  await open(person)
  await choose(person, '2. Ridge')
  // The tool is not known here, so it counts as one that must not be repeated: a press is not enough.
  await expect.poll(() => button(person, 'Approve 2').isEnabled()).toBe(true)
  await press(person, 'Approve 2')
  expect(await person.page.getByRole('timer').count()).toBe(0)
  await person.page.keyboard.press('Control+Enter')
  await expect.poll(() => person.page.getByRole('timer', { name: 'Time to undo' }).count()).toBe(2)
  // Its link is beside the button that takes it back.
  await tabTo(person, 'Summit')
  await press(person, /^Undo\s+Esc$/)
  await person.page.clock.fastForward(6_000)
  await person.sees('Approved.')
  expect(await answersOf(ids)).toEqual([['approve'], [], []])
})

test('none is approved before all that are chosen were shown in full', async () => {
  const ids = await payments('A long text. '.repeat(100))
  const person = await arrive()
  await open(person)
  expect(await button(person, 'Approve 3').isEnabled()).toBe(false)
  await person.page.keyboard.press('Control+Enter')
  for (const name of ['1. Oakline', '3. Summit']) await choose(person, name)
  expect(await button(person, 'Approve 1').isEnabled()).toBe(false)
  await press(person, 'Show all first')
  await person.showsAllArguments()
  await expect.poll(() => button(person, 'Approve 1').isEnabled()).toBe(true)
  // What is chosen again has to be shown, too.
  await choose(person, '3. Summit', 'Shift+Tab')
  await choose(person, '2. Ridge', 'Shift+Tab')
  await button(person, 'Approve 1').scrollIntoViewIfNeeded()
  await person.takePicture('together')
  await person.hasNoAxeFindings()
  expect(await answersOf(ids)).toEqual([[], [], []])
})

test('are denied with one reason; what somebody else has answered stays in its place and is left out', async () => {
  const ids = await payments()
  const person = await arrive()
  await open(person)
  await caller.post(`/v1/runs/${ids[1]}/signal`, { action: 'approve' })
  await person.sees('no longer awaits input')
  expect(await person.page.getByRole('checkbox', { name: '2. Ridge' }).isDisabled()).toBe(true)
  await press(person, 'Deny these calls…')
  await hasFocus(person, 'Why are the calls not made?')
  await person.page.keyboard.insertText('Paid already')
  await press(person, 'Deny 2 calls')
  await expect.poll(() => person.page.getByRole('timer', { name: 'Time to undo' }).count()).toBe(2)
  await person.page.clock.fastForward(6_000)
  await expect.poll(() => answersOf(ids)).toEqual([['Paid already'], ['approve'], ['Paid already']])
})

test('all are undone with one press', async () => {
  const ids = await payments()
  const person = await arrive()
  await open(person)
  // The chord counts once all three have been on the screen.
  await expect.poll(() => button(person, 'Approve 3').isEnabled()).toBe(true)
  await person.page.keyboard.press('Control+Enter')
  await button(person, 'Undo all 3').waitFor()
  await press(person, 'Undo all 3')
  await expect.poll(() => person.page.getByRole('timer').count()).toBe(0)
  await person.page.clock.fastForward(6_000)
  await button(person, together).waitFor()
  expect(await answersOf(ids)).toEqual([[], [], []])
})

test('where two people decide, the page says who may and who has, and one approval calls nothing', async () => {
  const rules = { approvers: ['finance'], approvals: 2 }
  const ids = await payments('Chairs', { rules })
  const people = { ...service, admin: caller }
  const ada = await addPerson(people, { person: 'Ada', roles: ['finance'] })
  const bob = await addPerson(people, { person: 'Bob', roles: ['finance'] })
  await ada.caller.post(`/v1/runs/${ids[1]}/signal`, { action: 'approve' })
  const person = await arrive({}, bob.caller.key ?? '')
  await open(person)
  const panel = person.page.getByRole('region', { name: '3 questions about pay' })
  await panel
    .getByText(/^If you approve, that counts as one of 2 approvals\. After the last one, each chosen/)
    .waitFor()
  await panel.getByText(/^2 different people must give the same answer, with one of the roles finance\./).waitFor()
  const second = panel.getByRole('group', { name: '2. Ridge' })
  await second.getByText(/^Approved by Ada \(finance\), /).waitFor()
  expect(await panel.getByText(/^Approved by/).count()).toBe(1)
  await person.takePicture('together-two')
  await person.hasNoAxeFindings()
  await person.showsAllArguments()
  await expect.poll(() => button(person, 'Approve 3').isEnabled()).toBe(true)
  await person.page.keyboard.press('Control+Enter')
  await expect.poll(() => person.page.getByRole('timer', { name: 'Time to undo' }).count()).toBe(3)
  await person.page.clock.fastForward(6_000)
  await expect.poll(() => answersOf(ids)).toEqual([['approve'], ['approve', 'approve'], ['approve']])
  const run = (await caller.get(`/v1/runs/${ids[0]}?include=awaiting_input`)).json<RunDetail>()
  expect(run.awaiting_input?.decisions).toMatchObject([{ person: 'Bob', action: 'approve' }])
})

test('on a phone, nothing is wider than the screen', async () => {
  await payments()
  const person = await arrive(phone)
  await person.page
    .getByRole('link', { name: /Call pay/ })
    .first()
    .click()
  await button(person, together).press('Enter')
  await person.page.getByRole('region', { name: '3 questions about pay' }).waitFor()
  await person.takePicture('together-phone')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
})
