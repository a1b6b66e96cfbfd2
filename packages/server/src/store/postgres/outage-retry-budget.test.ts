import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withRetry } from './database.ts'
import { DatabaseUnavailableError } from './errors.ts'
import { OutageRetryBudget } from './outage-retry-budget.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const refused = () => new DatabaseUnavailableError(new Error('connect ECONNREFUSED'))
const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** The outcome of a statement that fails until `comesBack`. */
function statement(retryBudget: OutageRetryBudget, error: () => Error) {
  let isBack = false
  const attempt = async () => {
    if (!isBack) throw error()
    return 'done'
  }
  const outcome = withRetry(attempt, retryBudget).catch((reason: Error) => reason.message)
  let settled: unknown
  void outcome.then((value) => {
    settled = value
  })
  const comesBack = () => {
    isBack = true
  }
  return { comesBack, outcome: () => settled }
}

test.each([
  ['that was not sent', refused],
  ['that may have been committed', lost],
])('a statement %s waits for half an hour, and is done a second after the database is back', async (_, error) => {
  const { comesBack, outcome } = statement(new OutageRetryBudget(), error)
  await vi.advanceTimersByTimeAsync(30 * 60_000)
  expect(outcome()).toBeUndefined()
  comesBack()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(outcome()).toBe('done')
})

test('a statement whose outcome is forgotten by then is not sent again', async () => {
  const { comesBack, outcome } = statement(new OutageRetryBudget(), lost)
  await vi.advanceTimersByTimeAsync(51 * 60_000)
  comesBack()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(outcome()).toBe('the database cannot be reached')
})

test('after its end the usual limit applies, also to a statement that has waited longer', async () => {
  const retryBudget = new OutageRetryBudget()
  const { outcome } = statement(retryBudget, refused)
  await vi.advanceTimersByTimeAsync(60_000)
  retryBudget.end()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(outcome()).toBe('the database cannot be reached')
})
