import { describe, expect, test } from 'vitest'
import { backoffMs, retryDelayMs, sleep } from './backoff.ts'

const policy = { maxRetries: 10, initialDelayMs: 1_000, maxDelayMs: 30_000 }

test.each([
  [0, 1_000],
  [1, 2_000],
  [4, 16_000],
])('after attempt %d the wait is %d ms and up to a quarter more', (attempt, least) => {
  const waits = Array.from({ length: 200 }, () => backoffMs(policy, attempt))
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(least)
  expect(Math.max(...waits)).toBeLessThanOrEqual(least * 1.25)
  expect(new Set(waits).size).toBeGreaterThan(100)
})

test.each([5, 9])('after attempt %d the wait is the maximum', (attempt) => {
  expect(backoffMs(policy, attempt)).toBe(30_000)
})

describe('the wait before a retry', () => {
  test('is at least as long as Retry-After', () => {
    expect(retryDelayMs(policy, 0, 7)).toBe(7_000)
  })

  test('is at least as long as the backoff', () => {
    expect(retryDelayMs(policy, 5, 1)).toBe(30_000)
  })

  test('ends with the last retry', () => {
    expect(retryDelayMs(policy, 9)).toEqual(expect.any(Number))
    expect(retryDelayMs(policy, 10)).toBeUndefined()
  })

  test('is not taken if Retry-After is more than a minute', () => {
    expect(retryDelayMs(policy, 0, 60)).toBe(60_000)
    expect(retryDelayMs(policy, 0, 61)).toBeUndefined()
  })
})

describe('a sleep', () => {
  test('ends early with the reason of its signal', async () => {
    const controller = new AbortController()
    const sleeping = sleep(60_000, controller.signal)
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
  })

  test('does not begin when its signal is aborted', async () => {
    await expect(sleep(0, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  test('ends by itself', async () => {
    await expect(sleep(0, new AbortController().signal)).resolves.toBeUndefined()
  })
})
