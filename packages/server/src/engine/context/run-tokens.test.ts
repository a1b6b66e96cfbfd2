import { afterEach, describe, expect, test, vi } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import { DatabaseUnavailableError } from '../../store/postgres/errors.ts'
import { OutageRetryBudget } from '../../store/postgres/outage-retry-budget.ts'

afterEach(() => void vi.useRealTimers())

describe('tokens', () => {
  test('what is left counts tokens that are not recorded yet, and is never negative', () => {
    const { context, ledger } = fakeExecution({ run: { tokenLimit: 100, tokens: 30 } })
    expect(context.tokens.left).toBe(70)
    ledger.spend(context.tokens.consumed({ total: 20 }))
    expect(context.tokens.left).toBe(50)
    ledger.spend(context.tokens.consumed({ total: 500 }))
    expect(context.tokens.left).toBe(0)
  })

  test('a call is counted against the budgets at once, and each is a record of its own', () => {
    const budgets = { exceeded: async () => undefined, spend: vi.fn() }
    const { context } = fakeExecution({ parts: { budgets } })
    const records = [context.tokens.consumed({ total: 7, input: 5 }), context.tokens.consumed({ total: 7 })].flat()
    expect(records).toMatchObject([{ quantity: 7, details: { input: 5 } }, { quantity: 7 }])
    expect(new Set(records.map(({ key }) => key)).size).toBe(2)
    expect(budgets.spend.mock.calls).toEqual([
      [context.run, 7],
      [context.run, 7],
    ])
  })

  test('a call without usage is not counted', () => {
    const budgets = { exceeded: async () => undefined, spend: vi.fn() }
    expect(fakeExecution({ parts: { budgets } }).context.tokens.consumed(undefined)).toEqual([])
    expect(budgets.spend).not.toHaveBeenCalled()
  })

  test('the exhausted budget is that of the run’s owner', async () => {
    const spent = { currentValue: 9, threshold: 5 }
    const exceeded = vi.fn(async () => spent)
    const { context } = fakeExecution({ parts: { budgets: { exceeded, spend: () => undefined } } })
    expect(await context.tokens.spentBudget()).toBe(spent)
    expect(exceeded).toHaveBeenCalledWith(context.run)
    expect(await fakeExecution().context.tokens.spentBudget()).toBeUndefined()
  })

  test('budgets that cannot be read because the database is away are read when it is back', async () => {
    vi.useFakeTimers()
    let isAway = true
    const exceeded = async () => {
      if (isAway) throw new DatabaseUnavailableError(new Error('connect ECONNREFUSED'))
      return undefined
    }
    const parts = { budgets: { exceeded, spend: () => undefined }, retryBudget: new OutageRetryBudget() }
    const asked = fakeExecution({ parts })
      .context.tokens.spentBudget()
      .catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(30_000)
    isAway = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await asked).toBeUndefined()
  })
})
