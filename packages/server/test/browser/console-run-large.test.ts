// Large runs in the console: few nodes, folded values, an address for everything, and states that are true.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { plannerTaskOf } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { caller, driver, arrive } = await openConsole()

const nodesOf = ({ page }: Visitor) => page.locator('*').count()
const heightOf = ({ page }: Visitor) => page.evaluate<number>('document.documentElement.scrollHeight')

const planOf = (count: number) => ({
  steps: Array.from({ length: count }, (_, n) => ({ id: `step-${n}`, instruction: `Do part ${n}.` })),
})

test('200 steps: few nodes, and each step has an address', async () => {
  const { id } = await caller.newRun({ plan: planOf(200), run_class: 'long' })
  await driver.toRunning(id)
  const person = await arrive({ hash: `#/runs/${id}?step=step-150` })
  await person.page.getByRole('article', { name: 'step-150', exact: true }).waitFor()
  expect(await nodesOf(person)).toBeLessThan(1_000)
  await person.page.locator('main').focus()
  await person.page.keyboard.press('j')
  await person.page.getByRole('article', { name: 'step-151', exact: true }).waitFor()
  expect(person.page.url()).toContain('step=step-151')
  await person.press('Show the plan as a graph')
  await person.page.getByRole('region', { name: 'Graph of the plan' }).waitFor()
  expect(person.page.url()).toContain('graph=yes')
  await person.hasNoAxeFindings()
})

test('a long graph opens at the chosen step', async () => {
  const steps = planOf(25).steps.map((step, n) => ({ ...step, depends_on: n === 0 ? [] : [`step-${n - 1}`] }))
  const { id } = await caller.newRun({ plan: { steps }, run_class: 'long' })
  await driver.toRunning(id)
  const person = await arrive({ hash: `#/runs/${id}?step=step-20` })
  const graph = person.page.getByRole('region', { name: 'Graph of the plan' })
  const isInView = async (name: string) => {
    const [frame, node] = await Promise.all([
      graph.boundingBox(),
      graph.locator('[aria-current=true]').getByText(name).boundingBox(),
    ])
    return frame && node && node.x >= frame.x && node.x + node.width <= frame.x + frame.width
  }
  await expect.poll(() => isInView('step-20')).toBe(true)
  await person.page.locator('main').focus()
  for (let nth = 0; nth < 4; nth += 1) await person.page.keyboard.press('j')
  await expect.poll(() => isInView('step-24')).toBe(true)
})

test('a result of 600 kB is folded, and can be opened or saved', async () => {
  const { id } = await caller.newRun()
  const content = 'A line of a long report.\n\n'.repeat(24_000)
  await driver.toSucceeded(id, { redacted: false, value: { content, output: { lines: Array(5_000).fill('line') } } })
  const person = await arrive({ hash: `#/runs/${id}?tab=result` })
  const result = person.page.getByRole('region', { name: 'Result' })
  await result.getByRole('button', { name: /^Show 20,000 more/ }).waitFor()
  expect(await heightOf(person)).toBeLessThan(30_000)
  expect(await nodesOf(person)).toBeLessThan(2_500)
  const download = person.page.waitForEvent('download')
  await result.getByRole('button', { name: 'Download the result' }).click()
  expect((await download).suggestedFilename()).toBe(`${id}-result.json`)
  await person.hasNoAxeFindings()
})

test('a value of many short tables, or of many texts that are replaced, has few rows at first', async () => {
  const { id } = await caller.newRun()
  const list = <Item>(item: Item) => Array.from({ length: 50 }, () => item)
  const texts = Array.from({ length: 1_000 }, (_, n) => [
    [`old_${n}`, `Before ${n}.`],
    [`new_${n}`, `After ${n}.`],
  ])
  const output = { cube: list(list(list(7))), texts: Object.fromEntries(texts.flat()) }
  await driver.toSucceeded(id, { redacted: false, value: { content: 'Done.', output } })
  const person = await arrive({ hash: `#/runs/${id}?tab=result` })
  const table = person.page.getByRole('group', { name: 'Output' })
  const rows = table.getByRole('row')
  await table.getByText('Show 50 more of 50').first().waitFor()
  expect(await rows.count()).toBeLessThan(3_000)
  expect(await table.getByRole('group', { name: /^Comparison/ }).count()).toBeLessThanOrEqual(300)
  const before = await rows.count()
  await table.getByText('Show 50 more of 50').first().click()
  await expect.poll(() => rows.count()).toBe(before + 49)
  await person.takePicture('nested-value')
  await person.hasNoAxeFindings()
})

const toolStart = (id: string, n: number, tool_name = 'calculator') => ({
  type: 'step.progress' as const,
  payload: { kind: 'tool_call_start', task_id: plannerTaskOf(id), tool_call_id: `call_${n}`, tool_name },
})
const toolEnd = (n: number, tool_outcome: string) => ({
  type: 'run.tool.invoked' as const,
  payload: {
    tool_call_id: `call_${n}`,
    tool_name: 'calculator',
    tool_outcome,
    policy_reason_code: null,
    duration_ms: 3,
  },
})

test('80 calls of one tool are one line', async () => {
  const { id } = await caller.newRun()
  const calls = Array.from({ length: 80 }, (_, n) => [toolStart(id, n), toolEnd(n, n === 9 ? 'failed' : 'succeeded')])
  await driver.progress(id, { events: calls.flat() })
  const person = await arrive({ hash: `#/runs/${id}` })
  const line = person.page.getByText('80 × calculator')
  await line.waitFor()
  await person.sees('1 failed')
  await line.click()
  await person.page.getByRole('button', { name: 'Show 20 more of 80' }).waitFor()
  await person.hasNoAxeFindings()
})

const says = (id: string, content_delta: string) => ({
  type: 'step.progress' as const,
  payload: { kind: 'content_delta', content_delta, task_id: plannerTaskOf(id) },
})

test('the text of a lost worker stands apart, and the time of a stalled run stands still', async () => {
  const { id } = await caller.newRun()
  await driver.progress(id, { events: [says(id, 'Half a sent'), toolStart(id, 1, 'pay')] })
  await driver.toStalled(id)
  const person = await arrive({ hash: `#/runs/${id}`, prepare: ({ page }) => page.clock.install() })
  await person.sees('This run is stalled')
  await person.sees('Half a sent')
  const times = () => person.page.getByRole('article').innerText()
  const before = await times()
  expect(before).toMatch(/pay\s+outcome not known/)
  expect(before).not.toContain('running')
  await person.takePicture('stalled-call')
  await person.page.clock.fastForward(90_000)
  expect(await times()).toBe(before)
  const list = await arrive({ hash: '#/runs?status=stalled', prepare: ({ page }) => page.clock.install() })
  const duration = list.page.getByRole('row').filter({ hasText: id }).getByRole('cell').nth(3)
  await duration.waitFor()
  const listed = await duration.innerText()
  expect(listed).toMatch(/^\d+(\.\d)? m?s$/)
  await list.page.clock.fastForward(90_000)
  expect(await duration.innerText()).toBe(listed)
  await caller.post(`/v1/runs/${id}/resume`)
  await driver.progress(id, { events: [says(id, 'The whole sentence.')] })
  const attempts = person.page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('Half a sent').waitFor()
  await person.page.getByRole('article').getByText('The whole sentence.', { exact: true }).waitFor()
  await attempts.getByRole('button', { name: 'Attempt 1' }).click()
  await expect.poll(() => person.page.url()).toContain('attempt=1')
  await person.hasNoAxeFindings()
})

test('a call that the end of its run cut off is not running, and approvers learn that its outcome is not known', async () => {
  const { id } = await caller.newRun()
  await driver.progress(id, { events: [toolStart(id, 1, 'pay')] })
  const cancelled = await arrive({ hash: `#/runs/${id}` })
  await cancelled.page.getByRole('article').getByText('running').last().waitFor()
  await caller.post(`/v1/runs/${id}/cancel`)
  await cancelled.sees('outcome not known')
  await expect.poll(() => cancelled.page.getByRole('article').getByText('running').count()).toBe(0)
  const { id: asking } = await caller.newRun()
  await driver.progress(asking, { events: [toolStart(asking, 1, 'pay')] })
  await driver.toStalled(asking)
  await caller.post(`/v1/runs/${asking}/resume`)
  await driver.toAwaiting(asking)
  const approver = await arrive({ hash: `#/inbox?run=${asking}` })
  const evidence = approver.page.getByRole('region', { name: 'What led to this question' })
  await evidence.getByText('pay', { exact: true }).waitFor()
  expect(await evidence.innerText()).toMatch(/pay\s+outcome not known/)
  expect(await evidence.innerText()).not.toContain('running')
})

test('a step that was repeated and succeeded does not say that it failed for good', async () => {
  const { id } = await caller.newRun()
  const task_id = plannerTaskOf(id)
  const done = (value: object) => ({ type: 'step.done' as const, payload: { task_id, content: '', ...value } })
  const busy = { outcome: 'retry_step', reason_code: 'provider_error', provider_error_message: 'Busy.' }
  await driver.progress(id, { events: [says(id, 'Half'), done(busy), says(id, 'All')] })
  await driver.progress(id, { events: [done({ content: 'All of it.', outcome: 'succeeded' })] })
  const person = await arrive({ hash: `#/runs/${id}` })
  const attempts = person.page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('Busy.').waitFor()
  expect(await person.page.getByText('failed for good').count()).toBe(0)
  expect(await person.page.getByText('Busy.').count()).toBe(1)
})

test('Back returns to the place in the list, with its filters', async () => {
  for (let n = 0; n < 40; n += 1) await caller.newRun({ metadata: { title: `Listed ${n}` } })
  const person = await arrive({ hash: '#/runs?q=Listed' })
  await person.sees('Listed 39')
  await person.page.getByText('Listed 3', { exact: true }).scrollIntoViewIfNeeded()
  const top = await person.page.evaluate<number>('window.scrollY')
  expect(top).toBeGreaterThan(200)
  await person.page.getByText('Listed 3', { exact: true }).click()
  await person.seesHeading('Listed 3')
  await expect.poll(() => person.page.evaluate('window.scrollY')).toBe(0)
  await person.page.goBack()
  await person.sees('Listed 39')
  expect(person.page.url()).toContain('q=Listed')
  await expect.poll(() => person.page.evaluate<number>('window.scrollY')).toBe(top)
})

test.each(['run', 'list'])('a %s whose service answers nothing any more says so within 10 seconds', async (page) => {
  const { id } = await caller.newRun()
  await driver.toRunning(id)
  const hash = page === 'run' ? `#/runs/${id}` : '#/runs'
  const person = await arrive({ hash, prepare: (visitor) => visitor.page.clock.install() })
  await person.sees(page === 'run' ? 'live' : id)
  // The connection stays open, and no answer comes, as from a stopped process.
  let release = () => {}
  const seen = new Promise<void>((resolve) => {
    release = resolve
  })
  await person.page.route('**/health/live', (route) => seen.then(() => route.abort()))
  await person.page.clock.runFor(10_000)
  await person.sees('Reconnecting…')
  await person.hasNoAxeFindings()
  release()
})

test('the first load has at most 180 kB', async () => {
  const sizes: Promise<number>[] = []
  const person = await arrive({
    prepare: async ({ page }) => {
      page.on('response', (response) => {
        if (/\.(js|css)$/.test(response.url())) sizes.push(response.body().then((body) => gzipSync(body).length))
      })
    },
  })
  await person.seesHeading('Runs')
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(total).toBeGreaterThan(50_000)
  expect(total).toBeLessThanOrEqual(180_000)
})
