import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ServiceError } from '../../domain/service-error.ts'
import { SignInLimiter } from './sign-in-limiter.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage
const fail = (reason: 'SIGN_IN_CODE_INVALID' | 'API_KEY_INVALID' | 'DATABASE_UNAVAILABLE') => async () => {
  throw new ServiceError(reason, 'no')
}

/** What becomes of a sign-in: `ok`, or its reason code. */
const tried = (limiter: SignInLimiter, client = from('10.0.0.1'), signIn: () => Promise<unknown> = async () => 'ok') =>
  limiter.guard(client, signIn).then(
    () => 'ok',
    (error: ServiceError) => error.reason,
  )

async function guess(limiter: SignInLimiter, times: number, clientOf = (_n: number) => from('10.0.0.1')) {
  const counts: Record<string, number> = {}
  for (let n = 0; n < times; n += 1) {
    const outcome = await tried(limiter, clientOf(n), fail('SIGN_IN_CODE_INVALID'))
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

test('ten wrong sign-ins of a client are checked at once, and then one each six seconds', async () => {
  const limiter = new SignInLimiter()
  expect(await guess(limiter, 40)).toEqual({ SIGN_IN_CODE_INVALID: 10, RATE_LIMITED: 30 })
  vi.advanceTimersByTime(5_900)
  expect(await tried(limiter)).toBe('RATE_LIMITED')
  vi.advanceTimersByTime(200)
  expect(await guess(limiter, 2)).toEqual({ SIGN_IN_CODE_INVALID: 1, RATE_LIMITED: 1 })
})

test('the refusal says when to try again', async () => {
  const limiter = new SignInLimiter()
  await guess(limiter, 10)
  vi.advanceTimersByTime(2_000)
  await expect(limiter.guard(from('10.0.0.1'), async () => 'ok')).rejects.toMatchObject({
    message: 'There were too many wrong sign-ins. Retry later.',
    retryAfterSeconds: expect.closeTo(4),
  })
})

test('sign-ins that are checked at the same time count before they have failed', async () => {
  const limiter = new SignInLimiter()
  const outcomes = await Promise.all(
    Array.from({ length: 15 }, () => tried(limiter, undefined, fail('API_KEY_INVALID'))),
  )
  expect(outcomes.filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(5)
})

test('sign-ins that succeed, and failures that are no guesses, do not count', async () => {
  const limiter = new SignInLimiter()
  for (let n = 0; n < 200; n += 1) {
    expect(await tried(limiter)).toBe('ok')
    expect(await tried(limiter, undefined, fail('DATABASE_UNAVAILABLE'))).toBe('DATABASE_UNAVAILABLE')
  }
})

test.each([
  ['address', from('10.0.0.2')],
  ['client of the same proxy', from('10.0.0.1', '198.51.100.7, 198.51.100.2')],
])('another %s is not locked out', async (_case, other) => {
  const limiter = new SignInLimiter()
  await guess(limiter, 40, () => from('10.0.0.1', '198.51.100.7'))
  expect(await tried(limiter, from('10.0.0.1', '203.0.113.5, 198.51.100.7'))).toBe('RATE_LIMITED')
  expect(await tried(limiter, other)).toBe('ok')
})

test('clients that invent addresses meet the limit for all: a hundred at once, and then a hundred a minute', async () => {
  const limiter = new SignInLimiter()
  const invented = (n: number) => from('10.0.0.1', `198.51.100.${n}`)
  expect(await guess(limiter, 400, invented)).toEqual({ SIGN_IN_CODE_INVALID: 100, RATE_LIMITED: 300 })
  expect(await tried(limiter, from('10.0.0.9'))).toBe('RATE_LIMITED')
  vi.advanceTimersByTime(700)
  expect(await tried(limiter, from('10.0.0.9'))).toBe('ok')
})

test('a client that is refused takes nothing from the others', async () => {
  const limiter = new SignInLimiter()
  await guess(limiter, 1_000)
  expect(await guess(limiter, 95, (n) => from(`10.0.1.${n}`))).toEqual({ SIGN_IN_CODE_INVALID: 90, RATE_LIMITED: 5 })
})
