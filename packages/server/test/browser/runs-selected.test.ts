// Several runs of the list at once, in a browser: selected by mouse, and cancelled, retried, deleted or compared.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { hasFocusOnContent } from './by-keyboard.ts'
import { openConsole } from './open-console.ts'
import type { Visitor } from './visitor.ts'

const { caller, driver, arrive } = await openConsole()

/** A run with a title, in a workspace of its own, so that each test has its own list. */
const newRun = (workspace_id: string, title: string) => caller.newRun({ workspace_id, metadata: { title } })

const listIs = ({ page }: Visitor, expected: readonly string[]) =>
  expect.poll(() => page.locator('tbody a').allInnerTexts()).toEqual(expected)

const newestFirst = (newest: number) => Array.from({ length: newest }, (_, n) => `Run ${newest - n}`)

const hasFocus = (element: Locator) => element.and(element.page().locator(':focus')).waitFor()

test('the page stays where it is when rows selected by mouse no longer are, and the last has the focus', async () => {
  for (let n = 1; n <= 20; n += 1) await newRun('mouse', `Run ${n}`)
  const person = await arrive({ hash: '#/runs?workspace_id=mouse' })
  await listIs(person, newestFirst(20))
  const select = async () => {
    for (const name of ['Run 2', 'Run 1']) await person.page.getByLabel(`Select ${name}`, { exact: true }).check()
  }
  const row = person.page.getByRole('link', { name: 'Run 1', exact: true })
  await select()
  await person.doesNotScroll(() => person.press('Select none'))
  await hasFocus(row)
  await select()
  // A new run moves the rows. The focus is on the same row as before.
  await newRun('mouse', 'Run 21')
  await listIs(person, newestFirst(21))
  await person.press('Cancel 2 runs')
  await person.doesNotScroll(() => person.press('Keep them'))
  // Nothing was done, so the runs are still selected.
  await hasFocus(person.page.getByRole('button', { name: 'Cancel 2 runs' }))
  await person.doesNotScroll(() => person.press('Select none'))
  await hasFocus(row)
})

test('several runs are cancelled once that was confirmed, and each has its result', async () => {
  const [late, ...others] = [
    await newRun('stop', 'Late'),
    await newRun('stop', 'Queued'),
    await newRun('stop', 'Running'),
  ]
  const ended = await newRun('stop', 'Ended')
  await driver.toSucceeded(ended.id)
  const person = await arrive({ hash: '#/runs?workspace_id=stop' })
  await listIs(person, ['Ended', 'Running', 'Queued', 'Late'])
  await person.page.getByLabel('Select all runs').check()
  await person.press('Cancel 3 runs')
  const dialog = person.page.getByRole('dialog', { name: 'Cancel 3 runs?' })
  await dialog.getByRole('button', { name: 'Keep them' }).click()
  expect((await caller.run(late?.id ?? '')).status).toBe('queued')
  await person.press('Select none')
  // No row had the focus.
  await hasFocusOnContent(person)
  await person.page.getByLabel('Select all runs').check()
  await person.page.route(`**/${late?.id}/cancel`, async (route) => {
    await driver.toSucceeded(late?.id ?? '')
    await route.continue()
  })
  await person.press('Cancel 3 runs')
  await person.page.getByRole('dialog').getByRole('button', { name: 'Cancel 3 runs' }).click()
  const results = person.page.getByRole('dialog').getByRole('listitem')
  await person.page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().waitFor()
  await expect
    .poll(() => results.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Running\s+cancelled$/),
      expect.stringMatching(/^Queued\s+cancelled$/),
      expect.stringMatching(/^Late\s+.*succeeded/),
    ])
  await person.sees('2 runs cancelled. 1 run was not.')
  for (const { id } of others) expect((await caller.run(id)).status).toBe('cancelled')
})

test('to close the dialog stops the work after the runs on their way, and the dialog shows what is not done', async () => {
  const runs = []
  for (let n = 1; n <= 6; n += 1) runs.push(await newRun('halt', `Run ${n}`))
  const person = await arrive({ hash: '#/runs?workspace_id=halt' })
  await listIs(person, newestFirst(6))
  const onTheirWay: (() => void)[] = []
  await person.page.route('**/cancel', async (route) => {
    await new Promise<void>((resolve) => onTheirWay.push(resolve))
    await route.continue()
  })
  await person.page.getByLabel('Select all runs').check()
  await person.press('Cancel 6 runs')
  const dialog = person.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel 6 runs' }).click()
  await expect.poll(() => onTheirWay.length).toBe(4)
  // The browser closes a dialog on the second Escape, whatever the page says.
  await person.page.keyboard.press('Escape')
  await person.page.keyboard.press('Escape')
  await dialog.getByText('Stopping').waitFor()
  await person.hasNoAxeFindings()
  await person.takePicture('runs-bulk-stopping')
  for (const go of onTheirWay) go()
  await person.sees('4 runs cancelled. 2 runs were not.')
  expect((await dialog.getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s*\n\s*/))).toEqual([
    ...['Run 6', 'Run 5', 'Run 4', 'Run 3'].map((name) => [name, 'cancelled']),
    ...['Run 2', 'Run 1'].map((name) => [name, 'not done']),
  ])
  await person.takePicture('runs-bulk-stopped')
  await hasFocus(dialog.getByRole('button', { name: 'Close', exact: true }).last())
  await person.page.keyboard.press('Enter')
  await person.page.getByRole('region', { name: 'Selected runs' }).waitFor({ state: 'detached' })
  const statuses = []
  for (const { id } of runs) statuses.push((await caller.run(id)).status)
  expect(statuses).toEqual(['queued', 'queued', ...Array.from({ length: 4 }, () => 'cancelled')])
  expect(onTheirWay).toHaveLength(4)
})

test('failed runs are retried, ended ones deleted once their number was typed, and each has its result', async () => {
  const [failed, ended, queued] = [
    await newRun('bulk', 'Failed'),
    await newRun('bulk', 'Ended'),
    await newRun('bulk', 'Queued'),
  ]
  await driver.toFailed(failed.id)
  await driver.toSucceeded(ended.id)
  const person = await arrive({ hash: '#/runs?workspace_id=bulk' })
  await listIs(person, ['Queued', 'Ended', 'Failed'])
  await person.page.getByLabel('Select all runs').check()
  const bar = person.page.getByRole('region', { name: 'Selected runs' }).getByRole('button')
  expect(await bar.allInnerTexts()).toEqual(['Select none', 'Retry 1 run', 'Cancel 1 run', 'Delete 2 runs'])
  await person.takePicture('runs-bulk')
  await person.press('Retry 1 run')
  const dialog = person.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Retry 1 run' }).click()
  await person.sees('1 run retried.')
  expect((await caller.run(failed.id)).status).toBe('queued')
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()

  await person.page.getByLabel('Select Ended').check()
  await person.press('Delete 1 run')
  const remove = dialog.getByRole('button', { name: 'Delete 1 run' })
  expect(await remove.isDisabled()).toBe(true)
  await person.hasNoAxeFindings()
  await dialog.getByLabel('Type 1 to confirm').fill('1')
  await remove.click()
  await person.sees('1 run deleted.')
  expect((await caller.get(`/v1/runs/${ended.id}`)).status).toBe(404)
  expect((await caller.run(queued.id)).status).toBe('queued')
})

test('two selected runs are compared side by side', async () => {
  const [older, newer] = [await newRun('pair', 'Older'), await newRun('pair', 'Newer')]
  const person = await arrive({ hash: '#/runs?workspace_id=pair' })
  await listIs(person, ['Newer', 'Older'])
  await person.page.getByLabel('Select all runs').check()
  await person.page.getByRole('link', { name: 'Compare' }).click()
  await person.seesHeading('Compare two runs')
  expect(person.page.url()).toContain(`left=${older.id}&right=${newer.id}`)
})
