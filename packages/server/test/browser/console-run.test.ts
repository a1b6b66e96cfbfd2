// One run in the console, against the whole service: its events as they happen, the answer it waits for, and the
// commands.
import type { Turn } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { turnPages } from '../../../contract/src/examples/turns.ts'
import { deltas, plannerTaskOf } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { caller, driver, arrive } = await openConsole()

const arriveAt = async (id: string, tab = 'events'): Promise<Visitor> => {
  const visitor = await arrive({ hash: `#/runs/${id}?tab=${tab}` })
  await visitor.page.getByRole('tab', { selected: true }).waitFor()
  return visitor
}

const seesEvent = ({ page }: Visitor, type: string) => page.getByRole('button', { name: type }).waitFor()

describe('text', () => {
  test('grows while one looks, in the card of its step', async () => {
    const { id } = await caller.newRun()
    await driver.toRunning(id)
    const person = await arriveAt(id, 'steps')
    await person.sees('live')
    for (const content_delta of ['One two ', 'three.']) {
      const payload = { kind: 'content_delta', content_delta, task_id: plannerTaskOf(id) }
      await driver.progress(id, { events: [{ type: 'step.progress', payload }] })
    }
    await person.page.getByRole('article').getByText('One two three.').waitFor()
    await driver.toSucceeded(id)
    await person.sees('the run has ended')
    await person.page.getByRole('tab', { name: 'Result' }).click()
    await person.page.getByRole('region', { name: 'Result' }).getByText('Done.').waitFor()
  })

  test('of a model never becomes markup, and leads only to web addresses', async () => {
    const { id } = await caller.newRun()
    const content =
      '<img src="/console/x" onerror="document.title=1"><script>document.title=1</script> ' +
      '[bad](javascript:document.title=1) [good](https://example.com/a) ![spy](https://example.com/spy.png)'
    const payload = { content, outcome: 'succeeded', task_id: plannerTaskOf(id) }
    await driver.progress(id, { events: [{ type: 'step.done', payload }] })
    await driver.toSucceeded(id, { redacted: false, value: { content, output: { content } } })
    const person = await arriveAt(id, 'steps')
    const { page } = person
    await page.getByRole('article').getByText('<img src=', { exact: false }).waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    const link = page.getByRole('article').getByRole('link', { name: 'good' })
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    const targets = await page.evaluate("[...document.querySelectorAll('main article a')].map((link) => link.href)")
    expect(targets).toEqual(['https://example.com/a', 'https://example.com/spy.png'])
    expect(await page.title()).not.toBe('1')
    await person.hasNoAxeFindings()
  })
})

describe('a hidden tab', () => {
  const turn = ({ page }: Visitor, state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)

  test('closes its stream, and reads on where it was when it is visible again', async () => {
    const { id } = await caller.newRun()
    await driver.toRunning(id)
    const person = await arriveAt(id)
    await seesEvent(person, 'run.worker.started')
    const closed = person.page.waitForEvent('requestfailed', (request) => request.url().includes('/events/stream'))
    await turn(person, 'hidden')
    await closed
    await driver.toSucceeded(id)
    await turn(person, 'visible')
    await seesEvent(person, 'run.worker.succeeded')
    await person.sees('3 events')
  })
})

describe('turns', () => {
  test('show what the model received and answered, without findings of axe', async () => {
    const { id } = await caller.newRun()
    await driver.toSucceeded(id)
    // Only the calls of real models are recorded.
    const prepare = ({ page }: Visitor) =>
      page.route('**/turns?*', (route) => route.fulfill({ json: turnPages.page.value }))
    const person = await arrive({ hash: `#/runs/${id}?tab=turns`, prepare })
    const turns = person.page.getByRole('region', { name: 'Turns of the run' }).getByRole('button')
    await turns.nth(0).click()
    await person.page.getByText('Now do this step: Convert the amount to USD.').first().waitFor()
    await person.page.getByRole('cell', { name: '12 * 1.1', exact: true }).waitFor()
    await person.hasNoAxeFindings()
    await turns.nth(1).click()
    await person.page.getByText('Rate limit reached.').waitFor()
    expect(person.page.url()).toContain('turn=')
    await person.hasNoAxeFindings()
  })

  const [turn] = turnPages.page.value.turns as [Turn]
  const numbered = (seq: number): Turn => ({
    ...turn,
    seq,
    task_id: `task_${seq}`,
    messages: [{ from: 'user', text: `Question ${seq}` }],
  })
  /** Pages end early, as those of long prompts do. */
  const answerTurns =
    (turns: readonly Turn[]) =>
    ({ page }: Visitor) =>
      page.route('**/turns?*', (route) => {
        const { searchParams } = new URL(route.request().url())
        const [after, limit] = [Number(searchParams.get('after')), Number(searchParams.get('limit'))]
        const found = turns.slice(after, after + Math.min(10, limit))
        return route.fulfill({ json: { ...turnPages.page.value, turns: found, next_after: after + found.length } })
      })

  test('are read as far as the one of the URL, and one that does not exist is not another one', async () => {
    const { id } = await caller.newRun()
    await driver.toSucceeded(id)
    const prepare = answerTurns(Array.from({ length: 45 }, (_, n) => numbered(n + 1)))
    const person = await arrive({ hash: `#/runs/${id}?tab=turns&turn=33`, prepare })
    await person.page.getByText('Question 33', { exact: true }).waitFor()
    const list = person.page.getByRole('region', { name: 'Turns of the run' })
    await list.locator('[aria-posinset="33"] [aria-current=true]').waitFor()
    const other = await arrive({ hash: `#/runs/${id}?tab=turns&turn=99`, prepare })
    await other.sees('This run has no turn 99.')
    expect(await other.page.getByText(/^Question/).count()).toBe(0)
    await other.takePicture('turn-missing')
    await other.hasNoAxeFindings()
    await other.page.getByRole('region', { name: 'Turns of the run' }).getByRole('button').first().click()
    await other.page.getByText(/^Question/).waitFor()
  })

  test('of very long prompts show where they changed, and few characters of what did not', async () => {
    const { id } = await caller.newRun()
    await driver.toSucceeded(id)
    const long = Array.from({ length: 50_000 }, (_, n) => `This is line ${n}.\n`).join('')
    const asks = (seq: number, text: string): Turn => ({ ...turn, seq, messages: [{ from: 'user', text }] })
    const turns = [asks(1, long), asks(2, long.replace('line 25000.', 'line XXV.')), asks(3, 'z\n'.repeat(400_000))]
    const person = await arrive({ hash: `#/runs/${id}?tab=turns&turn=2`, prepare: answerTurns(turns) })
    const { page } = person
    const change = page.getByRole('group', { name: 'Comparison of the user message' })
    await change.getByText('line XXV.').waitFor()
    await page
      .getByText(/… [\d,]+ characters that stay the same …/)
      .first()
      .waitFor()
    expect((await page.locator('main').innerText()).length).toBeLessThan(5_000)
    await person.takePicture('turn-change')
    await person.hasNoAxeFindings()
    await page.getByRole('region', { name: 'Turns of the run' }).getByRole('button').nth(2).click()
    await page.getByRole('button', { name: 'Show more of what has changed' }).waitFor()
    expect((await page.locator('main').innerText()).length).toBeLessThan(200_000)
  })

  test('of a run that goes on come by themselves', async () => {
    const { id } = await caller.newRun()
    await driver.toRunning(id)
    const turns = [numbered(1)]
    const person = await arrive({ hash: `#/runs/${id}?tab=turns`, prepare: answerTurns(turns) })
    const list = person.page.getByRole('region', { name: 'Turns of the run' }).getByRole('listitem')
    await person.page.getByText('Question 1', { exact: true }).waitFor()
    for (const seq of [2, 3]) {
      turns.push(numbered(seq))
      const payload = { content: 'Done.', outcome: 'succeeded', task_id: `task_${seq}` }
      await driver.progress(id, { events: [{ type: 'step.done', payload }] })
      await expect.poll(() => list.count()).toBe(seq)
    }
    await person.page.getByText('Question 1', { exact: true }).waitFor()
  })
})

describe('failures', () => {
  test('are told in words, with the code and the way to its event', async () => {
    const { id } = await caller.newRun()
    await driver.toFailed(id, 'provider_auth')
    const person = await arriveAt(id, 'steps')
    const failure = person.page.getByRole('region', { name: 'Failure' })
    expect(await failure.innerText()).toMatch(/The model provider refused the API key\.[\s\S]*provider_auth/)
    await failure.getByRole('button', { name: /^Event/ }).click()
    await person.page
      .getByRole('region', { name: /^Event \d/ })
      .getByText('"run.worker.failed"')
      .waitFor()
  })

  test('a run that used up its tokens is offered again in class long', async () => {
    const { id } = await caller.newRun()
    await driver.toLimitExceeded(id)
    const person = await arriveAt(id, 'steps')
    await person.sees('The run used up its tokens.')
    await person.press('Run again in class long…')
    await person.press('Run again')
    await expect.poll(() => person.page.url()).not.toContain(id)
    const [copy = ''] = /run_\w+/.exec(person.page.url()) ?? []
    expect(await caller.run(copy)).toMatchObject({ run_class: 'long' })
  })

  test('a stalled run explains itself at the top', async () => {
    const { id } = await caller.newRun()
    await driver.toStalled(id)
    const person = await arriveAt(id, 'steps')
    await person.sees('This run is stalled')
    await person.sees('The worker stopped renewing its lease.')
    await person.hasNoAxeFindings()
    await person.press('Resume the run')
    await expect.poll(async () => (await caller.run(id)).status).not.toBe('stalled')
  })
})

describe('raw events', () => {
  test('are filtered, searched, opened and found by seq', async () => {
    const { id } = await caller.newRun()
    for (const [task_id, content_delta] of [
      ['task_1', 'apple'],
      ['task_2', 'pear'],
    ] as const) {
      const payload = { kind: 'content_delta', content_delta, task_id }
      await driver.progress(id, { events: [{ type: 'step.progress', payload }] })
    }
    const person = await arriveAt(id)
    const { page } = person
    await person.sees('4 events')
    await page.getByLabel('Search in the events').fill('PEAR')
    await person.sees('1 of 4 events')
    await page.getByRole('button', { name: /step\.progress/ }).click()
    await page.getByRole('region', { name: 'Event 4' }).getByText('"pear"').waitFor()
    await person.hasNoAxeFindings()
    await page.getByLabel('Search in the events').fill('')
    await page.getByLabel('Type').selectOption('run.created')
    await person.sees('1 of 4 events')
    await page.getByLabel('Type').selectOption('')
    await page.getByLabel('Go to seq').fill('2')
    await person.press('Go')
    await page.getByRole('region', { name: 'Event 2' }).waitFor()
    const download = page.waitForEvent('download')
    await person.press('Download NDJSON')
    expect((await download).suggestedFilename()).toBe(`${id}.ndjson`)
  })

  test('have an address: the filter and the open event are there on another tab, in a fresh page and after Back', async () => {
    const { id } = await caller.newRun()
    const says = (task_id: string, content_delta: string) => ({
      type: 'step.progress' as const,
      payload: { kind: 'content_delta', content_delta, task_id },
    })
    const planner = plannerTaskOf(id)
    const events = [says(planner, 'apple'), says('task_2', 'apple tree'), says(planner, 'apple tree')]
    await driver.progress(id, { events })
    const person = await arriveAt(id)
    const seesChoice = async ({ page }: Visitor) => {
      await page.getByText('1 of 5 events').waitFor()
      await page.getByRole('region', { name: 'Event 5' }).waitFor()
      expect(await page.getByRole('region', { name: /^Event \d/ }).count()).toBe(1)
      expect(await page.getByLabel('Type').inputValue()).toBe('step.progress')
      expect(await page.getByLabel('Search in the events').inputValue()).toBe('tree')
      await expect.poll(() => page.getByRole('combobox', { name: 'Step' }).inputValue()).toBe(planner)
    }
    await person.page.getByLabel('Type').selectOption('step.progress')
    await person.page.getByRole('combobox', { name: 'Step' }).selectOption('Planner')
    await person.page.getByLabel('Search in the events').fill('tree')
    await person.sees('1 of 5 events')
    await person.page.getByRole('button', { name: /step\.progress/ }).click()
    await expect.poll(() => person.page.url()).toContain('text=tree')
    await seesChoice(person)
    await person.page.getByRole('tab', { name: 'Steps' }).click()
    await person.page.locator('[data-step]').first().click()
    await expect.poll(() => person.page.url()).toContain('step=')
    await person.page.getByRole('tab', { name: 'Events' }).click()
    await seesChoice(person)
    const address = person.page.url()
    expect(address).toContain('step=')
    const other = await arrive({ hash: address.replace(/.*#/, '#') })
    await seesChoice(other)
    await other.takePicture('events-by-address')
    await other.page.getByRole('link', { name: 'Runs', exact: true }).click()
    await other.seesHeading('Runs')
    await other.page.goBack()
    await seesChoice(other)
    expect(other.page.url()).toBe(address)
    await other.page.getByLabel('Search in the events').fill('')
    await other.page.getByLabel('Go to seq').fill('3')
    await other.press('Go')
    await other.page.getByRole('region', { name: 'Event 3' }).waitFor()
    await expect.poll(() => other.page.url()).toMatch(/seq=3\b/)
    // What is typed is there a moment later.
    await expect.poll(() => other.page.url()).not.toContain('text=')
    await other.page.getByRole('button', { name: /^3 ?step\.progress/ }).click()
    await expect.poll(() => other.page.url()).not.toContain('seq=')
  })

  test('20,000 of them: few nodes, and the last one is reachable', async () => {
    const { id } = await caller.newRun()
    for (let batch = 0; batch < 20; batch += 1) await driver.progress(id, { events: deltas(1_000) })
    await driver.toSucceeded(id)
    const person = await arriveAt(id)
    const { page } = person
    await page.getByText('20,003 events').waitFor({ timeout: 25_000 })
    await page.getByRole('button', { name: /run\.worker\.succeeded/ }).waitFor()
    expect(await page.locator('*').count()).toBeLessThan(1_500)
    await page.getByLabel('Go to seq').fill('10000')
    await person.press('Go')
    await page.getByRole('region', { name: 'Event 10000' }).waitFor()
    await person.press('Jump to the end')
    await page.getByRole('button', { name: /run\.worker\.succeeded/ }).waitFor()
    expect(await page.locator('*').count()).toBeLessThan(1_500)
    const other = await arrive({ hash: `#/runs/${id}?tab=events&seq=15000` })
    await other.page.getByRole('region', { name: 'Event 15000' }).waitFor({ timeout: 25_000 })
  })
})

describe('commands', () => {
  const again = ['Run again…', 'Edit and run again']

  const enabled = async ({ page }: Visitor) => {
    const buttons = page.getByRole('group', { name: 'Commands' }).getByRole('button', { disabled: false })
    return buttons.allInnerTexts()
  }

  test('a queued run is cancelled, once that was confirmed', async () => {
    const { id } = await caller.newRun()
    const person = await arriveAt(id)
    await expect.poll(() => enabled(person)).toEqual([...again, 'Cancel run…'])
    await person.press('Cancel run…')
    await person.press('Keep it')
    await person.press('Cancel run…')
    await person.press('Yes, cancel it')
    await seesEvent(person, 'run.cancelled')
    await expect.poll(() => enabled(person)).toEqual(again)
    expect((await caller.run(id)).status).toBe('cancelled')
  })

  test('a failed run is retried, and its events go on', async () => {
    const { id } = await caller.newRun()
    await driver.toFailed(id)
    const person = await arriveAt(id)
    await person.sees('the run has ended')
    expect(await enabled(person)).toEqual(['Retry', ...again])
    await person.press('Retry')
    await seesEvent(person, 'run.worker.retry_scheduled')
    await driver.toSucceeded(id)
    await seesEvent(person, 'run.worker.succeeded')
  })

  test('a stalled run is resumed', async () => {
    const { id } = await caller.newRun()
    await driver.toStalled(id)
    const person = await arriveAt(id)
    await expect.poll(() => enabled(person)).toEqual(['Resume', ...again, 'Cancel run…'])
    await person.press('Resume')
    await seesEvent(person, 'run.resumed')
  })

  test('a command that comes too late is told as a conflict', async () => {
    const { id } = await caller.newRun()
    const person = await arriveAt(id)
    await person.page.route('**/cancel', async (route) => {
      await driver.toSucceeded(id)
      await route.continue()
    })
    await person.press('Cancel run…')
    await person.press('Yes, cancel it')
    await person.sees('Not possible in the current state')
    await person.sees(/RUN_STATE_CONFLICT · request req_/)
  })
})
