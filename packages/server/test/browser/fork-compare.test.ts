// Forking a run from a step, and comparing two runs side by side.
import type { CreatedRun, EventReason, RunDetail, Turn } from '@runwright/contract'
import { expect, test } from 'vitest'
import { turnPages } from '../../../contract/src/examples/turns.ts'
import { openConsole } from './open-console.ts'
import { phone, type Visitor } from './visitor.ts'

const { caller, arrive } = await openConsole({}, { worker: true })

const plan = {
  steps: [
    { id: 'sum', tool: 'calculator', input: { expression: '17 * 23' } },
    { id: 'again', tool: 'calculator', input: { expression: '{{steps.sum.output.result}} + 1' } },
  ],
}

const ended = async (title: string, own: object = plan) => {
  const { id } = (await caller.create({ input: { n: 1 }, metadata: { title }, plan: own })).json<CreatedRun>()
  await expect.poll(async () => (await caller.run(id)).status, { timeout: 20_000 }).toMatch(/succeeded|failed/)
  return id
}

const detail = async (id: string) =>
  (await caller.get(`/v1/runs/${id}?include=forked_from,input,steps`)).json<RunDetail>()

test('a run is forked from a chosen step with another input, and leads to the comparison with its origin', async () => {
  const id = await ended('Origin')
  const person = await arrive({ hash: `#/runs/${id}` })
  await person.page.getByRole('link', { name: 'Fork' }).click()
  await person.seesHeading('Fork the run')
  await person.page.getByRole('radio', { name: /^sum/ }).check()
  await person.page.getByLabel('Use another input').check()
  await person.page.getByLabel('Input of the fork').fill('[1]')
  await person.press('Create the fork')
  await person.sees('This must be a JSON object: { … }.')
  await person.page.getByLabel('Input of the fork').fill('{"n": 2}')
  await person.takePicture('fork')
  await person.hasNoAxeFindings()
  await person.press('Create the fork')
  await expect.poll(() => person.page.url()).not.toContain(id)
  const [fork = ''] = /run_\w+/.exec(person.page.url()) ?? []
  expect(await detail(fork)).toMatchObject({
    forked_from: { run_id: id, step_id: 'sum' },
    input: { input: { n: 2 } },
  })
  await person.page.getByRole('link', { name: 'Compare' }).click()
  await person.seesHeading('Compare two runs')
  await person.page.getByRole('region', { name: 'Facts of both runs' }).waitFor()
  expect(person.page.url()).toContain(`left=${id}&right=${fork}`)
})

test('another input for a fork has no masked values of the origin', async () => {
  const body = {
    input: { n: 1, iban: 'DE89' },
    metadata: { title: 'Masked' },
    plan,
    sensitivity_tags: [{ path: '$.input.iban', classification: 'financial' }],
  }
  const { id } = (await caller.create(body)).json<CreatedRun>()
  await expect.poll(async () => (await caller.run(id)).status, { timeout: 20_000 }).toBe('succeeded')
  const person = await arrive({ hash: `#/runs/${id}/fork` })
  await person.page.getByLabel('Use another input').check()
  const input = person.page.getByLabel('Input of the fork')
  expect(await input.inputValue()).toContain('***')
  await person.press('Create the fork')
  await person.page.getByRole('alert').getByText('Enter the masked values (***) again').waitFor()
  await input.fill('{"n": 2}')
  await person.press('Create the fork')
  await expect.poll(() => person.page.url()).not.toContain(id)
})

test('two runs are compared: facts, plan, steps and result', async () => {
  const left = await ended('Left one')
  const other = { steps: [{ id: 'sum', tool: 'calculator', input: { expression: '17 * 24' } }] }
  const right = await ended('Right one', other)
  const person = await arrive({ hash: `#/compare?left=${left}&right=${right}` })
  const facts = person.page.getByRole('region', { name: 'Facts of both runs' })
  expect(await facts.getByRole('row').filter({ hasText: 'Tool calls' }).innerText()).toMatch(/2\s+1\s+−1 \(−50\s%\)/)
  const steps = person.page.getByRole('region', { name: 'Steps of both runs' })
  expect(await steps.getByRole('row').filter({ hasText: 'again' }).innerText()).toMatch(/succeeded.*not in this run/s)
  const changes = person.page.getByRole('region', { name: 'Differences: Plan' })
  expect(await changes.innerText()).toMatch(/left:.*17 \* 23.*right:.*17 \* 24/s)
  expect(await person.page.getByRole('region', { name: 'Differences: Result' }).innerText()).toMatch(/392.*408/s)
  await person.takePicture('compare')
  await person.hasNoAxeFindings()
})

/** Only the calls of real models are recorded, so turns are answered here, with at most so many on a page. */
const answerTurns =
  (turnsOf: Readonly<Record<string, readonly Turn[]>>, most = 200) =>
  ({ page }: Visitor) =>
    page.route('**/turns?*', (sent) => {
      const { pathname, searchParams } = new URL(sent.request().url())
      const [id = ''] = /run_\w+/.exec(pathname) ?? []
      const after = Number(searchParams.get('after'))
      const turns = (turnsOf[id] ?? []).slice(after, after + Math.min(most, Number(searchParams.get('limit'))))
      return sent.fulfill({ json: { ...turnPages.page.value, turns, next_after: after + turns.length } })
    })

/** A comparison of which one turn is the same, one has another prompt, one failed otherwise, and one has no pair. */
const arriveAtTurns = async () => {
  const [left, right] = [await ended('Left turns'), await ended('Right turns')]
  const [first, second] = turnPages.page.value.turns as [Turn, Turn]
  const asked = (text: string): Turn => ({
    ...second,
    ...{ outcome: 'reply', failure: null },
    messages: [...first.messages, { from: 'user', text }],
    reply: { text: `Answer to ${text}`, tool_calls: [], finish: 'complete' },
  })
  const failed = (reason_code: EventReason): Turn => ({ ...second, failure: { reason_code, message: 'Refused.' } })
  const turnsOf = {
    [left]: [first, asked('left question'), failed('provider_rate_limited')],
    [right]: [first, asked('right question'), failed('context_exceeded'), { ...asked('more'), seq: 4 }],
  }
  const person = await arrive({ hash: `#/compare?left=${left}&right=${right}`, prepare: answerTurns(turnsOf) })
  const pairs = person.page.getByRole('region', { name: 'Turns of both runs' }).getByRole('button')
  await pairs.nth(3).waitFor()
  return { person, pairs, side: (name: string) => person.page.getByRole('region', { name, exact: true }) }
}

test('their turns stand side by side, and the first that differs is open', async () => {
  const { person, pairs, side } = await arriveAtTurns()
  const words = (await pairs.allInnerTexts()).map((text) => text.split('\n').at(-1))
  expect(words).toEqual(['same', 'other prompt', 'other answer', 'right only'])
  await side('Left').getByText('Answer to left question').waitFor()
  await side('Left').getByText('(differs on the right)').waitFor()
  await side('Right').getByText('Answer to right question').waitFor()
  const change = side('Right').getByRole('group', { name: 'Comparison of the user message' })
  expect(await change.innerText()).toMatch(/removed:\s+left\s+added:\s+right/)
  // What both have is folded.
  expect(await side('Right').getByText('You do one step of a task.').count()).toBe(0)
  await side('Right').getByRole('button', { name: 'Show 2 messages that both runs have' }).click()
  await side('Right').getByText('You do one step of a task.').waitFor()
  await person.takePicture('compare-turns')
  await person.hasNoAxeFindings()
})

test('the URL names the chosen turns, and what is copied or saved of them names its side', async () => {
  const { person, pairs, side } = await arriveAtTurns()
  await pairs.nth(2).click()
  await side('Left').getByText('provider_rate_limited').waitFor()
  await side('Right').getByText('context_exceeded').waitFor()
  await side('Left').getByRole('button', { name: 'Copy the left turn as JSON' }).waitFor()
  const download = person.page.waitForEvent('download')
  await side('Right').getByRole('button', { name: 'Download the right turn' }).click()
  expect((await download).suggestedFilename()).toBe('turn-2-right.json')
  await pairs.nth(3).click()
  await side('Left').getByText('This run has no such turn.').waitFor()
  await expect.poll(() => person.page.url()).toContain('turn=')
  await person.page.reload()
  await side('Left').getByText('This run has no such turn.').waitFor()
  await side('Right').getByText('Answer to more').waitFor()
})

test('a list of many turns shows the chosen one', async () => {
  const [left, right] = [await ended('Many left'), await ended('Many right')]
  const [{ messages, ...turn }] = turnPages.page.value.turns as [Turn]
  const many = (changed: number) =>
    Array.from({ length: 60 }, (_, n) => ({ ...turn, seq: n + 1, messages: n + 1 < changed ? messages : [] }))
  const prepare = answerTurns({ [left]: many(99), [right]: many(42) })
  const person = await arrive({ hash: `#/compare?left=${left}&right=${right}`, prepare })
  const inView = async (name: string) => {
    const list = person.page.getByRole('region', { name })
    const row = list.getByRole('listitem').filter({ has: person.page.locator('[aria-current=true]') })
    if ((await row.count()) === 0) return undefined
    const [inner, outer] = await Promise.all([row.boundingBox(), list.boundingBox()])
    if (!(inner && outer) || inner.y < outer.y || inner.y + inner.height > outer.y + outer.height) return undefined
    return row.getAttribute('aria-posinset')
  }
  await expect.poll(() => inView('Turns of both runs')).toBe('42')
  await person.page.keyboard.press('j')
  await expect.poll(() => inView('Turns of both runs')).toBe('43')
  await person.goTo(`#/runs/${left}?tab=turns&turn=50`)
  await expect.poll(() => inView('Turns of the run')).toBe('50')
  await person.page.keyboard.press('k')
  await expect.poll(() => inView('Turns of the run')).toBe('49')
})

test('what a run may have among turns that were not read is not called missing', async () => {
  const [left, right] = [await ended('Short'), await ended('Long')]
  const [turn] = turnPages.page.value.turns as [Turn]
  const steps = (...ids: string[]) => ids.map((id) => ({ ...turn, step_id: id, task_id: `task_${id}` }))
  const prepare = answerTurns({ [left]: steps('a', 'd'), [right]: steps('a', 'b', 'c', 'd') }, 3)
  const person = await arrive({ hash: `#/compare?left=${left}&right=${right}`, prepare })
  await person.sees('Of the right run, only the first 3 turns can be compared here.')
  const facts = person.page.getByRole('region', { name: 'Facts of both runs' })
  for (const [name, words] of [
    ['Turns', /^Turns\s+2\s+≥ 3\s+not known$/],
    ['Failed turns', /^Failed turns\s+0\s+≥ 0\s+not known$/],
    ['Tokens in', /^Tokens in\s+[\d,]+\s+≥ [\d,]+\s+not known$/],
    ['Time of models', /^Time of models\s+[^≥]+≥ .+\s+not known$/],
    ['Models', /^Models\s+[^,]+\s+[^,]+, perhaps others\s*$/],
    ['Steps', /^Steps\s+\d+\s+\d+\s+(same|[+−].*)$/],
  ] as const) {
    expect(await facts.getByRole('row', { name: new RegExp(`^${name}`) }).innerText()).toMatch(words)
  }
  await person.takePicture('compare-cut')
  const pairs = person.page.getByRole('region', { name: 'Turns of both runs' }).getByRole('button')
  const words = (await pairs.allInnerTexts()).map((text) => text.split('\n').at(-1))
  expect(words).toEqual(['same', 'not compared', 'right only', 'right only'])
  // The first that surely differs is open.
  const side = (name: string) => person.page.getByRole('region', { name, exact: true })
  await side('Left').getByText('This run has no such turn.').waitFor()
  await pairs.nth(1).click()
  await side('Right').getByText('This turn is not among the first 3 of this run.').waitFor()
})

test('a run that waits for a person is not called running', async () => {
  const { id } = await caller.newRun({ plan: { steps: [{ id: 'ask', await_input: { prompt: 'Go on?' } }] } })
  await expect
    .poll(async () => (await caller.get(`/v1/runs/${id}?include=awaiting_input`)).json<RunDetail>().awaiting_input)
    .toBeTruthy()
  const person = await arrive({ hash: `#/compare?left=${id}&right=${id}` })
  const status = person.page.getByRole('region', { name: 'Facts of both runs' }).getByRole('row', { name: /^Status/ })
  expect(await status.innerText()).toMatch(/^Status\s+awaiting input\s+awaiting input/)
})

test('a run without finished steps cannot be forked, and the page says so', async () => {
  const { id } = await caller.newRun({
    plan: { steps: [{ id: 'ask', await_input: { prompt: 'Go on?' } }] },
  })
  const person = await arrive({ hash: `#/runs/${id}/fork` })
  await person.sees('No step has finished yet')
  await person.hasNoAxeFindings()
})

test('nothing is wider than a phone', async () => {
  const id = await ended('Narrow')
  const person = await arrive({ hash: `#/compare?left=${id}&right=${id}`, options: { ...phone, colorScheme: 'dark' } })
  await person.sees('the same')
  await person.takePicture('compare-phone')
  await person.fitsOnScreen()
  await person.hasNoAxeFindings()
  await person.goTo(`#/runs/${id}/fork`)
  await person.sees('The last step to keep')
  await person.fitsOnScreen()
})
