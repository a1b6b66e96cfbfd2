import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '../../../test/support/fake-execution.ts'
import { defaultProviderRetry } from './agent-limits.ts'
import { type CallTrouble, nextTry } from './retry-schedule.ts'

// Without jitter.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

interface Given {
  readonly trouble?: CallTrouble
  readonly failed?: ReturnType<typeof failure>
  readonly nowMs?: number
  readonly models?: number
}

const next = ({ trouble, failed = failure(), nowMs = 5_000, models = 1 }: Given = {}) =>
  nextTry({ trouble, failed: { failure: failed, startedAtMs: 4_000 }, nowMs, models }, defaultProviderRetry)

const trouble = (part: Partial<CallTrouble> = {}): CallTrouble => ({
  tries: 1,
  firstAtMs: 4_000,
  dueAtMs: 6_000,
  skipped: 0,
  ...part,
})

describe('a transient failure', () => {
  test('is retried after a second; its time counts from the start of the first try', () => {
    expect(next()).toEqual({
      kind: 'try_again',
      trouble: { tries: 1, firstAtMs: 4_000, dueAtMs: 6_000, skipped: 0 },
      hasNewModel: false,
    })
  })

  test.each([
    [1, 2_000],
    [2, 4_000],
    [5, 32_000],
    [6, 60_000],
    [40, 60_000],
  ])('after %i tries the wait is %i ms', (tries, waitMs) => {
    const decided = next({ trouble: trouble({ tries }) })
    expect(decided).toMatchObject({ trouble: { tries: tries + 1, firstAtMs: 4_000, dueAtMs: 5_000 + waitMs } })
  })

  test.each([
    [200, 1_000],
    [20_000, 20_000],
  ])('a provider that asks for %i ms gets %i ms', (retryAfterMs, waitMs) => {
    expect(next({ failed: failure({ retryAfterMs }) })).toMatchObject({ trouble: { dueAtMs: 5_000 + waitMs } })
  })

  test('is given up when the next try would be too late, and says for how long it was retried', () => {
    const nowMs = 4_000 + 900_000
    expect(next({ trouble: trouble({ tries: 20 }), nowMs: nowMs - 60_000 })).toMatchObject({ kind: 'try_again' })
    const failed = failure({ reasonCode: 'provider_rate_limited', message: 'slow down' })
    expect(next({ trouble: trouble({ tries: 20 }), nowMs: nowMs - 59_999, failed })).toEqual({
      kind: 'give_up',
      failure: { ...failed, message: 'Given up after 840 s. slow down' },
    })
  })

  test('that asks for more time than is left is given up at once', () => {
    expect(next({ failed: failure({ retryAfterMs: 3_600_000 }) })).toMatchObject({ kind: 'give_up' })
  })
})

test.each(['never', 'step'] as const)('a failure with retry %s is passed on unchanged', (retry) => {
  const failed = failure({ retry, reasonCode: 'provider_error' })
  expect(next({ failed })).toEqual({ kind: 'give_up', failure: failed })
})

describe('the next model of the list', () => {
  const second = { kind: 'try_again', hasNewModel: true }

  test('takes over when the first has failed for half a minute', () => {
    const given = { trouble: trouble({ tries: 4 }), models: 2 }
    expect(next({ ...given, nowMs: 33_999 })).toMatchObject({ hasNewModel: false, trouble: { skipped: 0 } })
    expect(next({ ...given, nowMs: 34_000 })).toEqual({
      ...second,
      trouble: { tries: 5, firstAtMs: 34_000, dueAtMs: 34_000, skipped: 1 },
    })
  })

  test.each(['provider_auth', 'provider_quota'])('takes over at once after %s', (reasonCode) => {
    const failed = failure({ retry: 'never', reasonCode })
    expect(next({ failed, models: 2 })).toMatchObject({ ...second, trouble: { skipped: 1, dueAtMs: 5_000 } })
  })

  test.each(['provider_refused', 'provider_error', 'context_exceeded'])('does not after %s', (reasonCode) => {
    const failed = failure({ retry: 'never', reasonCode })
    expect(next({ failed, models: 2 })).toEqual({ kind: 'give_up', failure: failed })
  })

  test('does not exist after the last one', () => {
    const last = { trouble: trouble({ skipped: 1 }), models: 2 }
    expect(next({ ...last, nowMs: 60_000 })).toMatchObject({ hasNewModel: false, trouble: { skipped: 1 } })
    const failed = failure({ retry: 'never', reasonCode: 'provider_auth' })
    expect(next({ ...last, failed })).toEqual({ kind: 'give_up', failure: failed })
  })
})
