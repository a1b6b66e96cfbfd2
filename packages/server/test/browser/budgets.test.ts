// The page of budgets: an administrator sets, changes and deletes them.
import type { BudgetList, KeyWithSecret } from '@runwright/contract'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { phone } from './visitor.ts'

const { caller, arrive } = await openConsole()

const budgets = async () => (await caller.get('/v1/budgets')).json<BudgetList>().budgets

test('a budget of a workspace is set, changed and deleted', async () => {
  const person = await arrive({ hash: '#/budgets' })
  await person.sees('No budget is set.')
  await person.press('Set a budget')
  const dialog = person.page.getByRole('dialog')
  await dialog.getByLabel('For').selectOption('A workspace')
  await dialog.getByLabel('Workspace id').fill('purchasing')
  await dialog.getByLabel('Tokens').fill('5k')
  await person.sees('Enter a whole number.')
  expect(await dialog.getByRole('button', { name: 'Set budget' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Tokens').fill('5000')
  await dialog.getByLabel('Period').selectOption('day')
  await dialog.getByText('5,000 per day').waitFor()
  await person.hasNoAxeFindings()
  await dialog.getByRole('button', { name: 'Set budget' }).click()
  await person.page.getByRole('meter', { name: 'Workspace purchasing' }).waitFor()
  expect(await budgets()).toMatchObject([{ workspace_id: 'purchasing', period: 'day', tokens: 5000 }])
  await person.takePicture('budgets')
  await person.hasNoAxeFindings()

  await person.press('Change the budget of Workspace purchasing')
  await dialog.getByLabel('Tokens').fill('7000')
  await dialog.getByRole('button', { name: 'Set budget' }).click()
  await expect.poll(async () => (await budgets())[0]).toMatchObject({ period: 'day', tokens: 7000 })

  await person.press('Delete the budget of Workspace purchasing')
  await person.press('Delete budget')
  await person.sees('No budget is set.')
  expect(await budgets()).toEqual([])
})

test('a key that may only read usage sees budgets and changes none', async () => {
  await caller.send({ method: 'PUT', path: '/v1/budgets/customer', body: { period: 'month', tokens: 10 } })
  const { key, secret } = (await caller.post('/v1/keys', { scopes: ['usage:read'] })).json<KeyWithSecret>()
  const person = await arrive({ hash: '#/budgets', key: `${key.id}:${secret}`, options: phone })
  await person.page.getByRole('meter', { name: 'All usage' }).waitFor()
  await expect.poll(() => person.page.getByRole('button', { name: /budget/ }).count()).toBe(0)
  await person.fitsOnScreen()
})
