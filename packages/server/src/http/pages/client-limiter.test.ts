import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClientLimiter } from './client-limiter.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

/** How many of so many requests at once are let through. */
function passed(limiter: ClientLimiter, times: number, requestOf: (n: number) => IncomingMessage): number {
  let count = 0
  for (let n = 0; n < times; n += 1) {
    try {
      limiter.take(requestOf(n))
      count += 1
    } catch (error) {
      expect(error).toMatchObject({ reason: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })
    }
  }
  return count
}

test('a client has ten requests a second, and twice as many at once', () => {
  const limiter = new ClientLimiter()
  expect(passed(limiter, 50, () => from('10.0.0.1'))).toBe(20)
  vi.advanceTimersByTime(1_000)
  expect(passed(limiter, 50, () => from('10.0.0.1'))).toBe(10)
})

test('clients of one proxy do not use up the requests of each other', () => {
  const limiter = new ClientLimiter()
  passed(limiter, 50, () => from('10.0.0.1', '198.51.100.7'))
  expect(passed(limiter, 50, () => from('10.0.0.1', '198.51.100.7, 198.51.100.2'))).toBe(20)
})

test('a client that invents names has a hundred requests a second, and no other address fewer', () => {
  const limiter = new ClientLimiter()
  const inventing = (n: number) => from('10.0.0.1', `198.51.100.${n}`)
  expect(passed(limiter, 400, inventing)).toBe(200)
  vi.advanceTimersByTime(1_000)
  expect(passed(limiter, 400, inventing)).toBe(100)
  expect(passed(limiter, 1, () => from('10.0.0.2'))).toBe(1)
})
