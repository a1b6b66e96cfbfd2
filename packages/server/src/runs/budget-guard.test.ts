import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { recordUsages } from '../../test/support/usage.ts'
import { operator } from '../domain/actor.ts'
import { insertCustomer } from '../store/keys/customers.ts'
import { deleteBudget, putBudget } from '../store/usage/budgets.ts'
import { BudgetGuard } from './budget-guard.ts'

let fresh: FreshDatabase
let customerId: string
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(async () => {
  customerId = randomUUID()
  await insertCustomer(fresh.database, customerId)
})
afterAll(() => fresh.drop())

const runOf = (workspaceId: string | null = null, subjectId: string | null = null) => ({
  customerId,
  workspaceId,
  subjectId,
})
const allow = (level: 'customer' | 'workspace' | 'subject', label: string | null, tokens: number) =>
  putBudget(fresh.database, { customerId, level, label }, { period: 'day', tokens, atMost: 100, by: operator })
const record = (quantity: number, labels: { workspaceId?: string; subjectId?: string } = {}) =>
  recordUsages(fresh.database, customerId, [
    { at: new Date().toISOString(), eventType: 'tokens.consumed', quantity, ...labels },
  ])

/** Readings stay fresh for a minute, or not at all. */
const guardOf = (maxAgeMs = 60_000) => new BudgetGuard({ database: fresh.database, maxAgeMs })

test('a change of budgets counts at once, even during a reading', async () => {
  const guard = guardOf()
  await guard.runOnce()
  await allow('customer', null, 0)
  expect(guard.exceeded(runOf())).toBeUndefined()
  guard.forget()
  expect(await guard.exceeded(runOf())).toEqual({ currentValue: 0, threshold: 0 })
  const reading = guard.runOnce()
  await deleteBudget(fresh.database, { customerId, level: 'customer', label: null }, operator)
  guard.forget()
  await reading
  expect(await guard.exceeded(runOf())).toBeUndefined()
})

describe('a run', () => {
  test('of a customer without budgets may continue, without a query', async () => {
    const guard = guardOf()
    await guard.runOnce()
    const query = vi.spyOn(fresh.database, 'query')
    expect(guard.exceeded(runOf('w', 's'))).toBeUndefined()
    expect(query).not.toHaveBeenCalled()
    query.mockRestore()
  })

  test('may continue until its budget is exhausted, and earlier records count', async () => {
    await allow('workspace', 'w', 100)
    await record(99, { workspaceId: 'w' })
    const guard = guardOf(0)
    expect(await guard.exceeded(runOf('w'))).toBeUndefined()
    await record(1, { workspaceId: 'w' })
    expect(await guard.exceeded(runOf('w'))).toEqual({ currentValue: 100, threshold: 100 })
    expect(await guard.exceeded(runOf('v'))).toBeUndefined()
    expect(await guard.exceeded(runOf())).toBeUndefined()
  })

  test('draws on the budgets of its customer, its workspace and its subject alike', async () => {
    await allow('customer', null, 1_000)
    await allow('workspace', 'w', 500)
    await allow('subject', 's', 10)
    await record(10, { workspaceId: 'v', subjectId: 's' })
    const guard = guardOf(0)
    expect(await guard.exceeded(runOf('w', 's'))).toEqual({ currentValue: 10, threshold: 10 })
    expect(await guard.exceeded(runOf('w'))).toBeUndefined()
    await record(990)
    expect(await guard.exceeded(runOf('w'))).toEqual({ currentValue: 1_000, threshold: 1_000 })
  })
})

describe('between two readings', () => {
  test('usage of this process is added, for every run with the same budget', async () => {
    await allow('customer', null, 100)
    const guard = guardOf()
    expect(await guard.exceeded(runOf('w'))).toBeUndefined()
    guard.spend(runOf('w'), 60)
    expect(await guard.exceeded(runOf('w'))).toBeUndefined()
    guard.spend(runOf('v'), 40)
    expect(await guard.exceeded(runOf('w'))).toEqual({ currentValue: 100, threshold: 100 })
  })

  test('concurrent runs share one query', async () => {
    await allow('customer', null, 100)
    const guard = guardOf()
    await guard.runOnce()
    const query = vi.spyOn(fresh.database, 'query')
    await Promise.all([1, 2, 3].map(() => guard.exceeded(runOf('w'))))
    await guard.exceeded(runOf('w'))
    expect(query).toHaveBeenCalledTimes(1)
    query.mockRestore()
  })

  test('a reading replaces the added usage, so that nothing counts twice', async () => {
    await allow('customer', null, 100)
    const guard = guardOf(0)
    await guard.exceeded(runOf())
    guard.spend(runOf(), 60)
    await record(60)
    expect(await guard.exceeded(runOf())).toBeUndefined()
  })
})

test('the next refresh adds a new budget and drops a deleted one', async () => {
  const guard = guardOf(0)
  await guard.runOnce()
  await allow('subject', 's', 0)
  expect(await guard.exceeded(runOf(null, 's'))).toBeUndefined()
  await guard.runOnce()
  expect(await guard.exceeded(runOf(null, 's'))).toEqual({ currentValue: 0, threshold: 0 })
  await deleteBudget(fresh.database, { customerId, level: 'subject', label: 's' }, operator)
  expect(await guard.exceeded(runOf(null, 's'))).toBeUndefined()
})
