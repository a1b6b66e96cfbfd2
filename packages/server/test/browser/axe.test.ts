// Every page with something on it, wide and narrow, light and dark: axe has no findings. Dialogs and the moments of a
// task are looked at by the tests of their pages, shared components by the test of the gallery.
import type { ScheduleResult } from '@runwright/contract'
import { expect, test } from 'vitest'
import { plannerTaskOf, remember } from '../support/drive.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { service, caller, driver, arrive, arriveSignedOut } = await openConsole()

const newRun = async (title: string): Promise<string> => (await caller.newRun({ metadata: { title } })).id

const call = {
  tool: 'send_payment',
  arguments: { iban: '***', items: [{ name: 'Chair' }], old_text: 'one', new_text: 'two' },
  argumentsHash: 'ab',
  why: 'send_payment changes the outside world.',
  hasRead: ['untrusted'] as const,
  callId: 'call_1',
  idempotencyKey: 'call_1',
}

async function fill() {
  const [done, waiting, failed, stalled, queued] = [
    await newRun('Done'),
    await newRun('Waiting'),
    await newRun('Failed'),
    await newRun('Stalled'),
    await newRun('Queued'),
  ]
  const content = '# Title\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\ncode\n```'
  const payload = { content, outcome: 'succeeded', task_id: plannerTaskOf(done) }
  await driver.progress(done, { events: [{ type: 'step.done', payload }] })
  await driver.toSucceeded(done)
  const awaitSeq = await driver.toAwaiting(waiting, { reasonCode: 'tool_requires_approval', prompt: 'Pay?', call })
  await driver.toFailed(failed)
  await driver.toStalled(stalled)
  await remember(service.database)
  const run = { input: { goal: 'Look.' }, metadata: { title: 'Look after the shop' } }
  const body = { name: 'Morning', cron: '0 9 * * *', time_zone: 'UTC', run }
  const { schedule } = (await caller.post('/v1/schedules', body)).json<ScheduleResult>()
  return { done, waiting, failed, stalled, queued, awaitSeq, schedule: schedule.id }
}

const made = await fill()

const doneRun = `#/runs/${made.done}`

/** Where, and a text that tells that the page shows what is meant. */
const pages: readonly (readonly [hash: string, text: string])[] = [
  ['#/runs', 'Stalled'],
  ['#/runs?q=nothing', 'No run matches.'],
  [doneRun, 'Planner'],
  [`${doneRun}?graph=yes`, 'Planner'],
  [`${doneRun}?tab=result`, 'Download'],
  [`${doneRun}?tab=input`, 'Metadata'],
  [`${doneRun}?tab=events`, 'run.worker.started'],
  [`${doneRun}?tab=turns`, 'No call to a model is recorded.'],
  [`#/runs/${made.waiting}`, 'Call send_payment?'],
  [`#/runs/${made.failed}`, 'This run failed'],
  [`#/runs/${made.stalled}`, 'This run is stalled'],
  [`#/runs/${made.queued}`, 'Planner'],
  ['#/runs/run_00000000000000000000000000', 'There is no run with this id.'],
  [`${doneRun}/fork`, 'The last step to keep'],
  [`#/compare?left=${made.done}&right=${made.failed}`, 'Time of models'],
  ['#/inbox', 'Call send_payment?'],
  [`#/decide/${made.waiting}/${made.awaitSeq}`, 'Call send_payment?'],
  ['#/create', 'A long text, streamed'],
  ['#/schedules', 'Morning'],
  ['#/schedules/create', 'Fires next'],
  [`#/schedules/${made.schedule}`, 'Next ticks'],
  ['#/usage', 'Quantities by day and event type'],
  ['#/budgets', 'No budget is set.'],
  ['#/memory', 'Approval limit'],
  ['#/keys', 'bootstrap'],
  ['#/webhooks', 'There are no webhooks.'],
  ['#/agents', 'current_time'],
  ['#/tools/calculator', 'What happens'],
  ['#/audit', 'Entries, newest first'],
  ['#/system', 'Last 24 hours'],
  ['#/nothing', 'No page has this URL.'],
]

/** A page is loaded once, wide. Only then its width and colors change. */
async function open({ page }: Visitor, goTo: () => Promise<void>, text: string): Promise<void> {
  await page.goto('about:blank')
  await page.setViewportSize({ width: 1440, height: 900 })
  await goTo()
  const main = page.locator('main')
  await main.getByText(text).filter({ visible: true }).first().waitFor()
  await main
    .getByText(/^Loading/)
    .filter({ visible: true })
    .first()
    .waitFor({ state: 'hidden' })
}

test('axe has no findings on any page, wide and narrow, light and dark', async () => {
  const person = await arrive()
  person.page.setDefaultTimeout(60_000)
  const findings: unknown[] = []
  for (const [hash, text] of pages) {
    await open(person, () => person.goTo(hash), text)
    findings.push(...(await person.axeFindingsInAnyLook()).map((finding) => ({ hash, ...finding })))
  }
  expect(findings).toEqual([])
}, 600_000)

test('axe has no findings on the page to sign in', async () => {
  const person = await arriveSignedOut()
  await person.page.getByLabel('API key').waitFor()
  expect(await person.axeFindingsInAnyLook()).toEqual([])
}, 60_000)
