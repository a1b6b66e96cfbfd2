// Questions that want data with their answer: the form is beside every answer but a no, and the service, the run and
// its tool get what was entered.
import type { Signal } from '@runwright/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Tool } from '../../src/tools/port/tool.ts'
import { ofType, planned, untilAsked, untilEnded, type Value } from '../support/engine.ts'
import { addPerson } from '../support/people.ts'
import { hasFocus } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

/** What the tools were called with. */
let calls: unknown[] = []
beforeEach(() => {
  calls = []
})

const input = z.strictObject({ to: z.string(), amount: z.number() })

const tool = (name: string, run: () => unknown): Tool => ({
  ...{ name, description: 'Pays.', input, timeoutSeconds: 600, effectOf: () => 'once' as const },
  run: async (given: unknown) => {
    calls.push(given)
    return run()
  },
})

const pay = tool('pay', () => ({ receipt: 'R-1' }))
/** Whether it has paid is never known. */
const unsure = tool('unsure', () => {
  throw new Error('The connection was lost')
})

const { service, caller, arrive } = await openConsole({}, { worker: true, tools: [pay, unsure] })

const bill = { to: 'Ada', amount: 500 }
const approval_schema = {
  type: 'object',
  properties: {
    centre: { type: 'integer', description: 'Who pays, as in `4100`.' },
    reason: { enum: ['planned', 'urgent'] },
    budget: { type: 'number' },
    note: { type: 'string' },
  },
  required: ['centre'],
  additionalProperties: false,
}

const asking = async (name: string, approval: object = { approval_schema }): Promise<string> => {
  const { id } = await caller.newRun(planned([{ id: 'pay', tool: name, input: bill, approval } as never]))
  await untilAsked(caller, id)
  return id
}

/** The call was made, and how it ended is not known. */
const unknown = async (): Promise<string> => {
  const id = await asking('unsure')
  await caller.post(`/v1/runs/${id}/signal`, { action: 'approve', payload: { centre: 1 } })
  const feed = await caller.stream(`/v1/runs/${id}/events/stream`)
  await feed.until(({ text }) => text.includes('tool_outcome_unknown'))
  feed.close()
  expect(calls).toEqual([bill])
  return id
}

/** A person at the question, and what the page sends. */
const open = async (id: string, key = service.key): Promise<{ person: Visitor; sent: Partial<Signal>[] }> => {
  const sent: Partial<Signal>[] = []
  const person = await arrive({
    hash: `#/runs/${id}`,
    key,
    prepare: async ({ page }) => {
      await page.clock.install()
      page.on('request', (request) => {
        if (request.url().endsWith('/signal')) sent.push(request.postDataJSON())
      })
    },
  })
  await person.sees('This run is awaiting input')
  return { person, sent }
}

const passTime = async ({ page }: Visitor) => {
  await page.getByRole('timer', { name: 'Time to undo' }).waitFor()
  await page.clock.fastForward(6_000)
}

/** The tool may pay only once, so it takes more than a click; and first all arguments must have been on the screen. */
const approve = async (person: Visitor) => {
  const { page } = person
  await person.showsAllArguments()
  await page.locator('button[aria-keyshortcuts^="Control+Enter"]:enabled').waitFor()
  await page.keyboard.press('Control+Enter')
}

/** What the tool returned, as the run has it. */
const outcomes = async (id: string): Promise<readonly Value[]> =>
  ofType(await untilEnded(caller, id), 'run.tool.invoked').map(({ tool_outcome }) => ({ tool_outcome }))

describe('a call whose outcome is not known, and whose question wants data', () => {
  test('is not made again if its result is given', async () => {
    const id = await unknown()
    const { person, sent } = await open(id)
    await person.press('Give its result…')
    await person.press('Enter JSON instead: Result of the call')
    await person.page.getByLabel('Result of the call, as JSON').fill('{ "receipt": "R-7" }')
    await person.page.getByLabel('centre').fill('4100')
    await person.takePicture('answer-outcome-result')
    await person.hasNoAxeFindings()
    await person.press('Give this result')
    await passTime(person)
    await expect
      .poll(() => sent)
      .toMatchObject([{ action: 'submit_input', call: { result: { receipt: 'R-7' } }, payload: { centre: 4100 } }])
    expect(await outcomes(id)).toEqual([{ tool_outcome: 'succeeded' }])
    expect(calls).toEqual([bill])
  })

  test('is told to have failed, with the data', async () => {
    const id = await unknown()
    const { person, sent } = await open(id)
    await person.press('The call failed…')
    await person.page.getByLabel('How did the call fail?').fill('Card declined.')
    await person.press('Say that it failed')
    await person.sees('This field is needed.')
    await person.page.getByLabel('centre').fill('4100')
    await person.press('Say that it failed')
    await passTime(person)
    await expect.poll(() => sent).toMatchObject([{ call: { error: 'Card declined.' }, payload: { centre: 4100 } }])
    expect(await outcomes(id)).toEqual([{ tool_outcome: 'failed' }])
    expect(calls).toEqual([bill])
  })
})

describe('a call whose question wants data', () => {
  test('is made with changed arguments and the data', async () => {
    const id = await asking('pay')
    const { person, sent } = await open(id)
    await person.press('Change the arguments…')
    const fields = person.page.getByRole('group', { name: 'Arguments', exact: true })
    expect(await fields.getByLabel('to', { exact: true }).inputValue()).toBe('Ada')
    await fields.getByLabel('amount').fill('450')
    await person.page.getByLabel('centre').fill('4100')
    const diff = person.page.getByRole('group', { name: 'Comparison of the arguments' })
    expect(await diff.locator('ins').innerText()).toContain('"amount": 450')
    await person.takePicture('answer-change-with-data')
    await person.hasNoAxeFindings()
    await approve(person)
    await passTime(person)
    await expect.poll(() => sent).toMatchObject([{ call: { arguments: { amount: 450 } }, payload: { centre: 4100 } }])
    expect(await outcomes(id)).toEqual([{ tool_outcome: 'succeeded' }])
    expect(calls).toEqual([{ to: 'Ada', amount: 450 }])
  })

  test('can still be approved after another answer was looked at', async () => {
    const id = await asking('pay')
    const { person, sent } = await open(id)
    await person.page.getByLabel('centre').fill('4100')
    await person.press('Deny the call…')
    await person.press('Approve…')
    expect(await person.page.getByLabel('centre').inputValue()).toBe('4100')
    await approve(person)
    await passTime(person)
    await expect.poll(() => sent).toMatchObject([{ action: 'approve', payload: { centre: 4100 } }])
    expect(await outcomes(id)).toEqual([{ tool_outcome: 'succeeded' }])
    expect(calls).toEqual([bill])
  })

  test('offers the choices of its schema, marks what is optional, and leaves out what is empty', async () => {
    const id = await asking('pay')
    const { person, sent } = await open(id)
    const form = person.page.getByRole('group', { name: 'Data for the run' })
    await form.getByText('Who pays, as in 4100.').waitFor()
    for (const name of ['reason', 'budget', 'note']) await form.getByLabel(`${name} (optional)`).waitFor()
    expect(await form.getByLabel('reason').locator('option').allInnerTexts()).toEqual(['not set', 'planned', 'urgent'])
    await form.getByLabel('reason').selectOption('urgent')
    await approve(person)
    await person.sees('This field is needed.')
    await form.getByLabel('centre').fill('4100')
    await person.takePicture('answer-data')
    await person.page.setViewportSize({ width: 390, height: 844 })
    await person.fitsOnScreen()
    await person.takePicture('answer-data-phone')
    await person.hasNoAxeFindings()
    await approve(person)
    await passTime(person)
    await expect.poll(() => sent).toMatchObject([{ action: 'approve' }])
    expect(sent[0]?.payload).toEqual({ centre: 4100, reason: 'urgent' })
    expect(await outcomes(id)).toEqual([{ tool_outcome: 'succeeded' }])
  })

  test('is JSON beside its schema where fields are not enough', async () => {
    const address = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const id = await asking('pay', {
      approval_schema: { type: 'object', properties: { address }, required: ['address'] },
    })
    const { person, sent } = await open(id)
    await person.page.getByRole('region', { name: 'Schema: Data for the run' }).getByText('"city"').first().waitFor()
    await person.page.getByLabel('Data for the run, as JSON').fill('{ "address": { "city": "Bonn" } }')
    await person.takePicture('answer-data-json')
    await person.hasNoAxeFindings()
    await approve(person)
    await passTime(person)
    await expect.poll(() => sent[0]?.payload).toEqual({ address: { city: 'Bonn' } })
    expect(await outcomes(id)).toEqual([{ tool_outcome: 'succeeded' }])
  })
})

test('the second person reads what the first one has changed, and gives the same answer', async () => {
  const people = { ...service, admin: caller }
  const ada = await addPerson(people, { person: 'Ada', roles: ['finance'] })
  const bob = await addPerson(people, { person: 'Bob', roles: ['finance'] })
  const id = await asking('pay', { approvers: ['finance'], approvals: 2, approval_schema })
  const answer = { call: { arguments: { to: 'Ada', amount: 450 } }, payload: { centre: 4100 } }
  const reply = await ada.caller.post(`/v1/runs/${id}/signal`, { action: 'submit_input', ...answer })
  expect(reply.status, reply.text).toBe(200)
  const { person, sent } = await open(id, bob.caller.key ?? '')
  const rules = person.page.getByRole('region', { name: 'Who decides' })
  await rules.getByText(/^Approved by Ada \(finance\), edited amount 500 → 450, /).waitFor()
  await rules.getByRole('group', { name: 'Data of the answer' }).getByText('4100').waitFor()
  await person.takePicture('answer-same')
  await person.hasNoAxeFindings()
  await person.page.getByRole('button', { name: 'Give the same answer as Ada…' }).press('Enter')
  await hasFocus(person, 'Answer to the question')
  await person.page.getByRole('group', { name: 'Comparison of the arguments' }).waitFor()
  // Nothing is given yet: it takes what every such call takes.
  expect(await person.page.getByRole('timer').count()).toBe(0)
  await person.takePicture('answer-same-open')
  await person.hasNoAxeFindings()
  await approve(person)
  await passTime(person)
  await expect.poll(() => sent).toMatchObject([{ action: 'submit_input', ...answer }])
  expect(await outcomes(id)).toEqual([{ tool_outcome: 'succeeded' }])
  expect(calls).toEqual([{ to: 'Ada', amount: 450 }])
})
