// A run from its creation to its end in the console, executed by a worker: steps side by side, an approval, the result.
import { courses, type RunDetail } from '@runwright/contract'
import type { BrowserContextOptions } from 'playwright-core'
import { expect, test } from 'vitest'
import { thenStep } from '../support/engine.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, arrive } = await openConsole({}, { worker: true })

const arriveAt = (hash: string, options: BrowserContextOptions = {}): Promise<Visitor> => arrive({ hash, options })

const createCourse = async (person: Visitor, title: string) => {
  await person.page.getByRole('button', { name: title }).click()
  await person.press('Create run')
}

/** The course with the approval, without the time it takes to watch it. */
const newQuickRun = async (): Promise<string> => {
  const text = JSON.stringify(courses[0]?.request, (key, value) => (/^(chunk|delay)_ms$/.test(key) ? 0 : value))
  return (await caller.newRun(JSON.parse(text))).id
}

const tree = ({ page }: Visitor) => page.getByRole('region', { name: 'Steps of the run' })

/** Chooses the step in the tree. */
const card = async (person: Visitor, name: string) => {
  await tree(person).getByText(name, { exact: true }).click()
  return person.page.getByRole('article', { name, exact: true })
}

/** The titles of the steps with their states, in the order of the tree. */
const stepStates = async (person: Visitor) => {
  const names = tree(person).locator('[data-step] > span:first-child')
  return (await names.allTextContents()).map((name) => name.replace(', ', ': '))
}

/** Where the bar of a step stands in the waterfall, in pixels. */
const barOf = async ({ page }: Visitor, step: string) => {
  const box = await page.locator(`[data-span="${step}"]`).last().boundingBox()
  if (!box) throw new Error(`${step} has no bar`)
  return { from: box.x, to: box.x + box.width }
}

test('create, watch parallel steps, approve, and read the result', async () => {
  const person = await arriveAt('#/create')
  await createCourse(person, 'Two steps side by side, and an approval')
  await person.seesHeading('Order 24 office chairs')
  await (await card(person, 'nordsitz')).getByText('calculator').first().waitFor()
  await (await card(person, 'oakline')).getByText('calculator').first().waitFor()
  await person.sees('This run is awaiting input')
  await person.sees('Order 24 Ridge chairs from Oakline for €9405?')
  // Each step has one card with its whole text, however its pieces were mixed with those of the other.
  expect(await (await card(person, 'nordsitz')).innerText()).toContain('For 24 chairs the total is €9,576.00.')
  expect(await (await card(person, 'oakline')).innerText()).toContain('For 24 chairs the total is €9,405.00.')
  expect(await tree(person).getByRole('button').count()).toBe(5)
  const [nordsitz, oakline, saving] = await Promise.all(
    ['nordsitz', 'oakline', 'saving'].map((step) => barOf(person, step)),
  )
  if (!nordsitz || !oakline || !saving) throw new Error('three steps have worked')
  expect(Math.max(nordsitz.from, oakline.from)).toBeLessThan(Math.min(nordsitz.to, oakline.to))
  expect(saving.from).toBeGreaterThanOrEqual(Math.max(nordsitz.to, oakline.to) - 2)
  await person.takePicture('core-run-waiting')
  await person.hasNoAxeFindings()
  await person.press('Approve')
  await person.sees('Approved.')
  await person.page.getByRole('tab', { name: 'Result' }).click()
  const result = person.page.getByRole('region', { name: 'Result' })
  await result.getByRole('cell', { name: 'Ridge office chair' }).waitFor()
  await person.sees('the run has ended')
  const answers = person.page.getByRole('region', { name: 'Answers' })
  expect(await answers.innerText()).toMatch(/Order 24 Ridge chairs[\s\S]*Approved by /)
  await person.page.getByRole('tab', { name: 'Steps' }).click()
  await expect.poll(async () => (await stepStates(person)).filter((one) => one.endsWith('succeeded')).length).toBe(5)
  await person.takePicture('core-run-ended')
  await person.hasNoAxeFindings()
}, 90_000)

test('the approver sees the goal, who created the run, the steps so far, and what follows', async () => {
  const steps = [
    { id: 'find', instruction: 'Find the offer.' },
    { id: 'gate', await_input: { input_kind: 'approval', prompt: 'Order from Oakline?' } },
    { id: 'order', instruction: 'Write the order.' },
  ]
  const { id } = await caller.newRun({
    input: {
      goal: 'Order 24 chairs at the best price.',
      sandbox: {
        steps: [{ say: 'Oakline asks €9,405.', tools: [{ name: 'calculator', input: { expression: '2*3' } }] }],
      },
    },
    metadata: { title: 'Chairs' },
    subject_id: 'ada',
    plan: { steps },
  })
  const person = await arrive({ hash: `#/inbox?run=${id}` })
  const evidence = person.page.getByRole('region', { name: 'What led to this question' })
  await evidence.getByText('Order 24 chairs at the best price.').first().waitFor()
  const text = await evidence.innerText()
  expect(text).toMatch(/through the API, for the subject ada/)
  expect(text).toMatch(/So far[\s\S]*find[\s\S]*succeeded[\s\S]*calculator/)
  expect(text).toMatch(/The model’s last words\s+Oakline asks €9,405\./)
  const next = await person.page.getByRole('region', { name: 'What happens next' }).innerText()
  expect(next).toMatch(/Approve\s+The step is answered\. Then: order \(asks the model\)\./)
  expect(next).toMatch(/Reject\s+The run fails/)
  await person.takePicture('decision-evidence')
  await person.hasNoAxeFindings()
  const { created_by } = (await caller.get(`/v1/runs/${id}?include=created_by`)).json<RunDetail>()
  expect(created_by).toHaveProperty('key_name')
})

test('the graph leads to the cards by keyboard', async () => {
  const person = await arriveAt(`#/runs/${await newQuickRun()}`)
  const node = person.page.getByRole('region', { name: 'Graph of the plan' }).getByRole('button', { name: /^order/ })
  await node.focus()
  await person.page.keyboard.press('Enter')
  await person.page.locator(':focus h3').getByText('order').waitFor()
  expect(person.page.url()).toContain('step=order')
})

test('a failure is told in words, and its button mends it', async () => {
  const person = await arriveAt('#/create', { colorScheme: 'dark' })
  await createCourse(person, 'A failure, and a retry that goes on after it')
  const failure = person.page.getByRole('region', { name: 'Failure' })
  await failure.waitFor()
  expect(await failure.innerText()).toContain('The monthly quota of the model account is used up.')
  await person.takePicture('core-run-failed')
  await person.hasNoAxeFindings()
  await failure.getByRole('button', { name: 'Retry the run' }).click()
  await person.page.getByRole('tab', { name: 'Result' }).click()
  await person.page.getByRole('region', { name: 'Result' }).getByText('is booked').waitFor()
  expect(await failure.count()).toBe(0)
})

test('run again creates a second run, and editing starts from the same request', async () => {
  const person = await arriveAt(`#/runs/${await newQuickRun()}`)
  await person.seesHeading('Order 24 office chairs')
  const first = person.page.url()
  await person.press('Run again…')
  await person.page.getByText('calls its tools again').waitFor()
  expect(person.page.url()).toBe(first)
  await person.press('Run again')
  await expect.poll(() => person.page.url()).not.toBe(first)
  await person.seesHeading('Order 24 office chairs')
  await person.press('Edit and run again')
  await person.seesHeading('New run')
  const input = person.page.getByLabel('Input')
  await expect.poll(() => input.inputValue()).toContain('nordsitz')
  await input.fill('{"goal":"Something else","sandbox":{"steps":[{"say":"Hello."}]}}')
  await person.page.getByLabel('Plan, as JSON').fill('')
  await person.page.getByLabel('Additional fields (optional)').fill('')
  await person.press('Create run')
  await person.seesHeading('Something else')
  await person.page.getByRole('tab', { name: 'Result' }).click()
  await person.page.getByRole('region', { name: 'Result' }).getByText('Hello.').waitFor()
})

test('a fork leads to the run that it comes from, and shows the steps that it kept', async () => {
  const id = await newQuickRun()
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some(({ type }) => type === 'run.awaiting_input'))
  stream.close()
  const reply = await caller.post(`/v1/runs/${id}/fork`, { from_step: 'saving' }, { 'idempotency-key': 'fork' })
  const person = await arriveAt(`#/runs/${reply.json<{ id: string }>().id}`)
  await person.sees('This run is awaiting input')
  expect(await (await card(person, 'saving')).innerText()).toContain('kept')
  await person.page.getByText('after saving').waitFor()
  await person.hasNoAxeFindings()
  await person.page.getByRole('link', { name: id }).click()
  await person.page.waitForURL(new RegExp(id))
})

test('a step that another plan drops is shown as skipped, while the run goes on', async () => {
  const { id } = await caller.newRun({
    input: { sandbox: { steps: [thenStep('replan', { say: 'Dear' }), { say: 'Dear Ada' }] } },
    metadata: {},
    plan: {
      steps: [
        { id: 'draft', instruction: 'Write it.' },
        { id: 'look', instruction: 'Look at it.' },
        { id: 'gate', depends_on: ['draft'], await_input: { input_kind: 'approval', prompt: 'Send it?' } },
        { id: 'send', instruction: 'Send it.' },
      ],
    },
  })
  const person = await arriveAt(`#/runs/${id}`)
  await expect
    .poll(() => stepStates(person))
    .toEqual([
      ...['look (earlier plan): skipped', 'Planner: succeeded', 'draft: succeeded', 'step_1: succeeded'],
      ...['gate: awaiting input', 'send: pending'],
    ])
  await person.hasNoAxeFindings()
})

test('steps that a stop, a failure or a cancel left out are shown as skipped', async () => {
  const { id: stopped } = await caller.newRun({
    input: { sandbox: { steps: [thenStep('stop', { say: 'That is all.' }), { say: 'More.' }] } },
    metadata: {},
    routing_hint: 'require_planning',
  })
  const person = await arriveAt(`#/runs/${stopped}`)
  await expect.poll(() => stepStates(person)).toEqual(['Planner: succeeded', 'step_1: succeeded', 'step_2: skipped'])
  const steps = [
    { id: 'sum', tool: 'calculator', input: { expression: '1 +' }, max_attempts: 1 },
    { id: 'report', instruction: 'Report it.' },
  ]
  const { id: failed } = await caller.newRun({ input: {}, metadata: {}, plan: { steps } })
  await person.page.goto(person.page.url().replace(stopped, failed))
  await expect.poll(() => stepStates(person)).toEqual(['sum: failed', 'report: skipped'])
  const { id: cancelled } = await caller.newRun({
    input: {},
    metadata: {},
    plan: {
      steps: [
        { id: 'gate', await_input: { prompt: 'Go on?' } },
        { id: 'report', instruction: 'Report it.' },
      ],
    },
  })
  await person.page.goto(person.page.url().replace(failed, cancelled))
  await expect.poll(() => stepStates(person)).toEqual(['gate: awaiting input', 'report: pending'])
  await caller.post(`/v1/runs/${cancelled}/cancel`)
  await expect.poll(() => stepStates(person)).toEqual(['gate: failed', 'report: skipped'])
})

test('fits on a phone', async () => {
  const person = await arriveAt(`#/runs/${await newQuickRun()}`, phone)
  await person.sees('This run is awaiting input')
  await person.takePicture('core-run-phone')
  await person.fitsOnScreen()
})
