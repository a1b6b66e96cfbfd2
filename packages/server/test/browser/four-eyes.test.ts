// A question that two people must agree on: the first answer is counted, the question stays, and the answer can be
// replaced by another one, on the page of the run, on the page of the question, and in the inbox.
import type { RunDetail } from '@runwright/contract'
import { expect, test } from 'vitest'
import { addPerson } from '../support/people.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive: arriveAt } = await openConsole()

const people = { ...service, admin: caller }
const keyOf = async (person: string) => (await addPerson(people, { person, roles: ['finance'] })).caller
const [ada, ben] = [await keyOf('Ada'), await keyOf('Ben')]

const waitingRun = async () => {
  const { id } = await caller.newRun({ metadata: { title: 'Tables' } })
  const seq = await driver.toAwaiting(id, { prompt: 'Buy them?', rules: { approvals: 2, approvers: ['finance'] } })
  return { id, seq }
}

const arrive = (hash: string, prepare?: (visitor: Visitor) => Promise<unknown>) =>
  arriveAt({
    ...{ hash, key: ada.key ?? '' },
    prepare: async (visitor) => {
      await visitor.page.clock.install()
      await prepare?.(visitor)
    },
  })

const passTime = async ({ page }: Visitor) => {
  await page.getByRole('timer', { name: 'Time to undo' }).waitFor()
  await page.clock.fastForward(6_000)
}

const decisionsOf = async (id: string) => {
  const { awaiting_input } = (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>()
  return awaiting_input?.decisions.map(({ person, action }) => `${person} ${action}`)
}

const places = [
  ['the page of the run', (id: string) => `#/runs/${id}`],
  ['the page of the question', (id: string, seq: number) => `#/decide/${id}/${seq}`],
  ['the inbox', (id: string) => `#/inbox?run=${id}`],
  ['the inbox of the person', (id: string) => `#/inbox?assigned=me&run=${id}`],
] as const

test.each(places)('on %s, the first answer is counted and can be replaced', async (place, hashOf) => {
  const { id, seq } = await waitingRun()
  const person = await arrive(hashOf(id, seq))
  const panel = person.page.getByRole('region', { name: 'This run is awaiting input' })
  await panel.getByText('2 different people must give the same answer').waitFor()
  await person.press('Approve')
  await passTime(person)
  await panel.getByText('Counted: 1 of 2.').waitFor()
  await panel.getByText(/Approved by Ada/).waitFor()
  await person.takePicture(`four-eyes-${place.replaceAll(' ', '-')}`)
  await person.hasNoAxeFindings()
  expect(await person.page.getByText('Approved.').count()).toBe(0)
  expect(await decisionsOf(id)).toEqual(['Ada approve'])
  // Another answer takes its place.
  await person.press('Answer with data…')
  await person.page.getByLabel('Name of field 1').fill('price')
  await person.page.getByLabel('Value of field 1').fill('7')
  await person.press('Send the data')
  await passTime(person)
  await panel.getByText(/Answered with data by Ada/).waitFor()
  // It is offered to others.
  expect(await panel.getByRole('button', { name: /^Give the same answer/ }).count()).toBe(0)
  expect(await decisionsOf(id)).toEqual(['Ada submit_input'])
  // So does the first one again, and the second person completes it.
  await person.press('Approve')
  await passTime(person)
  await panel.getByText(/Approved by Ada/).waitFor()
  await ben.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq: seq })
  if (!hashOf(id, seq).includes('assigned')) await person.sees('Your answer was counted.')
  expect(await decisionsOf(id)).toBeUndefined()
})

test('who completes it reads that it is approved', async () => {
  const { id, seq } = await waitingRun()
  await ben.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq: seq })
  const person = await arrive(`#/runs/${id}`)
  await person.sees(/Approved by Ben/)
  await person.press('Approve')
  await passTime(person)
  await person.sees('Approved.')
  await person.page.getByText('This run is awaiting input').waitFor({ state: 'hidden' })
  await person.page.getByRole('tab', { name: 'Result' }).click()
  await person.page.getByRole('region', { name: 'Answers' }).getByText('Approved by Ada').waitFor()
})

test('a refusal other than that the question is over can be answered again', async () => {
  const { id } = await waitingRun()
  const person = await arrive(`#/runs/${id}`, ({ page }) =>
    page.route('**/signal', (route) =>
      route.fulfill({
        ...{ status: 409, headers: { 'content-type': 'application/json' } },
        json: {
          ...{ error: 'limit_reached', reason_code: 'LIMIT_REACHED', message: 'It has 100 answers.' },
          ...{ request_id: 'req_1', details: {} },
        },
      }),
    ),
  )
  await person.press('Approve')
  await passTime(person)
  await person.sees('The service did not take your answer.')
  await person.sees('It has 100 answers.')
  await person.page.unrouteAll()
  await person.press('Approve')
  await passTime(person)
  await person.sees('Counted: 1 of 2.')
})
