// Questions before something that cannot be undone: the harmless answer has the focus, and the other one is not near.
import type { ScheduleResult } from '@runwright/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone } from './visitor.ts'

const { caller, arrive } = await openConsole()

const { id } = await caller.newRun()
await caller.post('/v1/keys', { name: 'old' })
await caller.post('/v1/webhooks', { url: 'https://example.com/hook' })
await caller.send({ method: 'PUT', path: '/v1/budgets/customer', body: { period: 'month', tokens: 5 } })
const body = { name: 'Morning', cron: '0 9 * * *', time_zone: 'UTC', run: { input: {}, metadata: {} } }
const { schedule } = (await caller.post('/v1/schedules', body)).json<ScheduleResult>()

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const selectAndCancel = async (page: Page) => {
  await page.getByRole('checkbox', { name: id }).check()
  await page
    .getByRole('button', { name: /^Cancel/ })
    .first()
    .click()
}

const questions: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
  ['a run is cancelled', `#/runs/${id}`, press('Cancel run…')],
  ['runs are cancelled', '#/runs', selectAndCancel],
  ['a key is revoked', '#/keys', press('Revoke old')],
  ['a webhook is deleted', '#/webhooks', press(/^Delete/)],
  ['a budget is deleted', '#/budgets', press(/^Delete the budget/)],
  ['a schedule is deleted', `#/schedules/${schedule.id}`, press(/^Delete/)],
]

test.each(
  questions.flatMap((question) => [
    [...question, {}] as const,
    [`${question[0]}, on a phone`, question[1], question[2], phone] as const,
  ]),
)('before %s', async (name, hash, ask, options) => {
  const person = await arrive({ hash, options })
  await ask(person.page)
  const dialog = person.page.getByRole('dialog')
  await dialog.waitFor()
  await person.takePicture(`dialog-${name.replaceAll(/[ ,]+/g, '-')}`)
  const buttons = dialog.getByRole('button').filter({ hasText: /./ })
  const keep = dialog.locator('button:focus')
  await expect.poll(() => keep.count()).toBe(1)
  expect(await buttons.count()).toBe(2)
  const kept = await keep.boundingBox()
  const other = await buttons.and(dialog.locator('button:not(:focus)')).boundingBox()
  if (!kept || !other) throw new Error('A button is not on the screen.')
  expect(kept.x - (other.x + other.width)).toBeGreaterThanOrEqual(48)
})

test('a question that is asked again at once stays open', async () => {
  const person = await arrive({ hash: '#/keys' })
  await press('Revoke old')(person.page)
  const dialog = person.page.getByRole('dialog')
  await dialog.getByText('Nothing that the key has set up goes on.').waitFor()
  // Between the two, React does its work, but the browser does not yet tell that the dialog was closed.
  await person.page.evaluate(`(async () => {
    const told = new Promise((resolve) => document.querySelector('dialog[open]').addEventListener('close', resolve))
    const keep = [...document.querySelectorAll('dialog[open] button')].find(({ textContent }) => textContent === 'Keep it')
    keep.click()
    while (document.querySelector('dialog[open]')) await null
    document.querySelector('[aria-label="Revoke old"]').click()
    await told
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })()`)
  expect(await dialog.isVisible()).toBe(true)
  await dialog.getByText('Nothing that the key has set up goes on.').waitFor()
})
