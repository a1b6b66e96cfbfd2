// The plan of a new run: cards and JSON side by side, each changing the other, by keyboard and with problems as typed.
import type { RunDetail } from '@runwright/contract'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, arrive } = await openConsole()

const json = ({ page }: Visitor) => page.getByLabel('Plan, as JSON')
const planOf = async (person: Visitor) => JSON.parse(await json(person).inputValue())
const card = ({ page }: Visitor, name: string | RegExp) => page.getByRole('group', { name })

const created = async (person: Visitor) => {
  await expect.poll(() => person.page.url()).toMatch(/#\/runs\/run_/)
  const [id = ''] = /run_\w+/.exec(person.page.url()) ?? []
  return (await caller.get(`/v1/runs/${id}?include=plan,input`)).json<RunDetail>()
}

const hasFocus = async ({ page }: Visitor, part: Locator): Promise<boolean> =>
  (await part.and(page.locator(':focus')).count()) === 1

test('a plan is made of cards by keyboard alone, and the run has it', { timeout: 90_000 }, async () => {
  const person = await arrive({ hash: '#/create' })
  const { keyboard } = person.page
  await person.page.getByRole('button', { name: 'Add a question' }).focus()
  await keyboard.press('Enter')
  const gate = card(person, 'Step 1: step_1')
  await expect.poll(() => hasFocus(person, gate)).toBe(true)
  await person.page.getByRole('button', { name: 'Remove step_1' }).focus()
  await keyboard.press('Tab')
  await keyboard.press('Control+A')
  await keyboard.type('gate')
  await keyboard.press('Tab')
  await keyboard.press('Tab')
  await keyboard.type('Pay it?')
  await person.page.getByRole('button', { name: 'Add a tool step' }).focus()
  await keyboard.press('Enter')
  const tool = card(person, 'Step 2: step_2')
  await tool.getByLabel('Tool', { exact: true }).focus()
  await keyboard.type('calculator')
  await tool.getByLabel('expression').focus()
  await keyboard.type('17 * 23')
  await keyboard.press('Alt+ArrowUp')
  await expect.poll(() => hasFocus(person, card(person, 'Step 1: step_2'))).toBe(true)
  await person.hasNoAxeFindings()
  await person.takePicture('create-plan')
  const plan = {
    version: 'v2',
    steps: [
      { id: 'step_2', tool: 'calculator', input: { expression: '17 * 23' } },
      { id: 'gate', await_input: { input_kind: 'approval', prompt: 'Pay it?' } },
    ],
  }
  expect(await planOf(person)).toEqual(plan)
  await person.page.getByRole('button', { name: 'Create run' }).focus()
  await keyboard.press('Enter')
  expect((await created(person)).plan).toMatchObject({ steps: [plan.steps[0], plan.steps[1]] })
})

test('a step gets a new name when it is typed, and no step on the way there is taken for another', async () => {
  const person = await arrive({ hash: '#/create' })
  const { keyboard } = person.page
  await person.press('Add an agent step')
  const steps = [
    { id: 'review', instruction: 'Review it.' },
    { id: 'publish', instruction: 'Publish it.', depends_on: ['review'] },
    { id: 'summary', instruction: 'Sum it up.', depends_on: [] },
    { id: 'mail', instruction: 'Mail it.', depends_on: ['summary'] },
  ]
  await json(person).fill(JSON.stringify({ steps }))
  const name = card(person, /^Step 3/).getByLabel('Name')
  await name.focus()
  await keyboard.press('Control+A')
  await keyboard.type('review')
  await card(person, /^Step 3/)
    .getByText('Another step has this name.')
    .waitFor()
  await keyboard.type('_notes')
  await expect.poll(() => person.page.getByRole('alert').count()).toBe(0)
  await keyboard.press('Enter')
  const renamed = [
    steps[0],
    steps[1],
    { ...steps[2], id: 'review_notes' },
    { ...steps[3], depends_on: ['review_notes'] },
  ]
  await expect.poll(async () => (await planOf(person)).steps).toEqual(renamed)
  expect(await hasFocus(person, name)).toBe(true)
  expect(person.page.url()).toContain('#/create')

  await keyboard.press('Control+A')
  await keyboard.type('review')
  await person.takePicture('create-plan-name')
  await keyboard.press('Tab')
  await card(person, 'Step 3: review_notes').getByText('Another step has the new name: the old one stays.').waitFor()
  await person.hasNoAxeFindings()
  expect(await name.inputValue()).toBe('review_notes')
  expect((await planOf(person)).steps).toEqual(renamed)
})

test('a name that is typed stays with its step, also when the step is moved before it is left', async () => {
  const person = await arrive({ hash: '#/create' })
  await person.press('Add an agent step')
  const steps = ['first', 'second'].map((id) => ({ id, instruction: 'Do it.' }))
  await json(person).fill(JSON.stringify({ steps }))
  await card(person, 'Step 2: second').getByLabel('Name').fill('other')
  await person.page.keyboard.press('Alt+ArrowUp')
  await card(person, 'Step 1: other').waitFor()
  expect((await planOf(person)).steps).toMatchObject([{ id: 'other' }, { id: 'first' }])
})

test('the JSON changes the cards, and problems stand where they are, in the words of the service', {
  timeout: 90_000,
}, async () => {
  const person = await arrive({ hash: '#/create' })
  await person.press('Add an agent step')
  const step = card(person, 'Step 1: step_1')
  await step.getByText('instruction must be 1 to 100000 characters long.').waitFor()
  const steps = [
    { id: 'offers', instruction: 'Read {{steps.sum.content}}.', max_attempts: 2 },
    { id: 'sum', tool: 'calculator', input: { expression: '1 + 1' }, depends_on: [] },
  ]
  await json(person).fill(JSON.stringify({ steps }))
  const offers = card(person, 'Step 1: offers')
  const problem = '{{steps.sum.content}} refers to "sum", which this step does not depend on'
  await offers.getByRole('alert').getByText(problem).waitFor()
  await person.hasNoAxeFindings()
  const refused = await caller.create({ input: {}, metadata: {}, plan: { steps } })
  expect(refused.json<{ message: string }>().message).toContain(problem)
  await person.press('Create run')
  expect(await hasFocus(person, offers.getByLabel('Instruction'))).toBe(true)
  await offers.getByLabel('Starts after').selectOption('chosen')
  await offers.getByLabel('sum').check()
  await expect.poll(() => person.page.getByRole('alert').count()).toBe(0)
  expect((await planOf(person)).steps[0]).toEqual({ ...steps[0], depends_on: ['sum'] })
  await json(person).fill('{"steps": [')
  await person.sees('The cards come back when the JSON is a plan.')
  expect(await person.page.getByRole('button', { name: 'Add a tool step' }).isDisabled()).toBe(true)
})

test('a plan whose tool gets an argument that it cannot take is not sent, and is not shown as code', async () => {
  const person = await arrive({ hash: '#/create' })
  await person.press('Add a tool step')
  const step = card(person, 'Step 1: step_1')
  await step.getByLabel('Tool', { exact: true }).fill('calculator')
  await step.getByText('This field is needed.').waitFor()
  expect(await person.page.getByText('As code').count()).toBe(0)
  await person.press('Create run')
  expect(await hasFocus(person, step.getByLabel('expression'))).toBe(true)
  await step.getByLabel('expression').fill('1 + 1')
  await person.sees('As code')
  await person.press('Create run')
  expect((await created(person)).plan).toMatchObject({
    steps: [{ tool: 'calculator', input: { expression: '1 + 1' } }],
  })
})

test('the request of a run with masked values is sent once they are entered again', async () => {
  const first = await caller.newRun({
    input: { goal: 'Look.', iban: 'DE89' },
    sensitivity_tags: [{ path: '$.input.iban', classification: 'financial' }],
  })
  const person = await arrive({ hash: `#/create?from=${first.id}` })
  const input = person.page.getByLabel('Input', { exact: true })
  await person.sees('Values shown as *** are masked.')
  await person.press('Create run')
  await person.page.getByRole('alert').getByText('Enter the masked values (***) again').waitFor()
  expect(await hasFocus(person, input)).toBe(true)
  expect(await person.page.getByText('As code').count()).toBe(0)
  await person.takePicture('create-masked')
  await person.hasNoAxeFindings()
  await input.fill('{"goal": "Look.", "iban": "DE90"}')
  await person.press('Create run')
  // The new value is as sensitive as the one before.
  expect((await created(person)).input?.input).toEqual({ goal: 'Look.', iban: '***' })
})

test('a step that is removed leaves the plan, and the last one ends it', async () => {
  const person = await arrive({ hash: '#/create', options: phone })
  await person.press('Add an agent step')
  await person.press('Add a question')
  await person.fitsOnScreen()
  await person.takePicture('create-plan-phone')
  await person.press('Remove step_1')
  expect((await planOf(person)).steps).toMatchObject([{ id: 'step_2' }])
  await person.press('Remove step_2')
  await person.sees('Without a plan, the service decides on the steps.')
  expect(await json(person).count()).toBe(0)
})

test('tags, the schema of the result and the rubric are sent', async () => {
  const person = await arrive({ hash: '#/create' })
  await person.page.getByLabel('Input', { exact: true }).fill('{"goal": "Look.", "iban": "DE89"}')
  await person.page.getByLabel('Schema of the result (optional)').fill('{"type": "object"}')
  await person.page.getByLabel('Rubric (optional)').fill('Names the price.')
  await person.press('Tag a sensitive value')
  await person.page.getByLabel('Path of value 1').fill('iban')
  await person.sees('Tag 1: the path must begin with $.input or $.metadata.')
  await person.hasNoAxeFindings()
  await person.page.getByLabel('Path of value 1').fill('$.input.iban')
  await person.page.getByLabel('Classification').selectOption('financial')
  await person.press('Create run')
  const run = await created(person)
  expect(run.input?.input).toEqual({
    goal: 'Look.',
    iban: '***',
    output_schema: { type: 'object' },
    rubric: 'Names the price.',
  })
})
