// Equal questions of the inbox, answered with one press: each shown, each a decision with its own undo.
import type { RunDetail, RunList } from '@runwright/contract'
import { afterEach, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, driver, arrive: arriveAt } = await openConsole()

// The next test begins with an empty inbox.
afterEach(async () => {
  const { runs } = (await caller.get('/v1/runs')).json<RunList>()
  for (const { id } of runs) await caller.post(`/v1/runs/${id}/cancel`)
})

const waitingRun = async (title: string, given: unknown, tool = 'pay'): Promise<string> => {
  const { id } = await caller.newRun({ metadata: { title } })
  const why = 'Policy requires approval for this tool.'
  const call = { tool, arguments: given, argumentsHash: 'ab', why, hasRead: [], callId: 'call_1', idempotencyKey: id }
  await driver.toAwaiting(id, { call })
  return id
}

const payments = async (note = 'Chairs') => [
  await waitingRun('Oakline', { amount: 100, note }),
  await waitingRun('Ridge', { amount: 200, note }),
  await waitingRun('Summit', { amount: 300, note }),
]

const arrive = (options = {}): Promise<Visitor> =>
  arriveAt({ hash: '#/inbox', options, prepare: ({ page }) => page.clock.install() })

const open = async (person: Visitor, name = 'Decide about all 3 such questions together…') => {
  await person.page.getByRole('button', { name }).press('Enter')
  await person.page.getByRole('region', { name: '3 questions about pay' }).waitFor()
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
  await waitingRun('Another tool', { amount: 1, note: 'x' }, 'refund')
  await waitingRun('Another shape', { amount: 1, note: 'x', urgent: true })
  const person = await arrive()
  await open(person)
  await person.page.getByRole('checkbox', { name: '2. Ridge' }).press('Space')
  // The tool is not known here, so it counts as one that must not be repeated: a click is not enough.
  await button(person, 'Approve 2').click()
  expect(await person.page.getByRole('timer').count()).toBe(0)
  await person.page.keyboard.press('Control+Enter')
  await expect.poll(() => person.page.getByRole('timer', { name: 'Time to undo' }).count()).toBe(2)
  await person.page.getByRole('region', { name: 'Your answers' }).getByRole('button', { name: 'Undo Esc' }).click()
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
  for (const name of ['1. Oakline', '3. Summit']) await person.page.getByRole('checkbox', { name }).press('Space')
  expect(await button(person, 'Approve 1').isEnabled()).toBe(false)
  await button(person, 'Show all first').press('Enter')
  await expect.poll(() => button(person, 'Approve 1').isEnabled()).toBe(true)
  // What is chosen again has to be shown, too.
  await person.page.getByRole('checkbox', { name: '3. Summit' }).press('Space')
  await person.page.getByRole('checkbox', { name: '2. Ridge' }).press('Space')
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
  await button(person, 'Deny these calls…').press('Enter')
  await person.page.getByLabel('Why are the calls not made?').fill('Paid already')
  await button(person, 'Deny 2 calls').press('Enter')
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
  await button(person, 'Undo all 3').press('Enter')
  await expect.poll(() => person.page.getByRole('timer').count()).toBe(0)
  await person.page.clock.fastForward(6_000)
  await button(person, 'Decide about all 3 such questions together…').waitFor()
  expect(await answersOf(ids)).toEqual([[], [], []])
})

test('on a phone, nothing is wider than the screen', async () => {
  await payments()
  const person = await arrive(phone)
  await person.page
    .getByRole('link', { name: /Call pay/ })
    .first()
    .click()
  await open(person)
  await person.takePicture('together-phone')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
})
