import { describe, expect, test } from 'vitest'
import { errorOfEnvelope, isTransient, RunwrightError, retryAfterOf } from './error.ts'

describe('Retry-After', () => {
  const parse = (value: string) => retryAfterOf(new Headers({ 'retry-after': value }))

  test('is a number of seconds', () => {
    expect([parse('0'), parse('17')]).toEqual([0, 17])
  })

  test('or a date', () => {
    expect(parse(new Date(Date.now() + 30_000).toUTCString())).toBeGreaterThanOrEqual(29)
    expect(parse(new Date(0).toUTCString())).toBe(0)
  })

  test('or missing, or unreadable', () => {
    expect([retryAfterOf(new Headers()), parse('soon')]).toEqual([undefined, undefined])
  })
})

test.each([
  [undefined, true],
  [400, false],
  [401, false],
  [403, false],
  [404, false],
  [409, false],
  [429, true],
  [500, true],
  [502, true],
  [503, true],
])('an error with status %s is transient: %s', (status, expected) => {
  expect(isTransient(new RunwrightError('x', { status }))).toBe(expected)
})

test('an error of another kind is not transient', () => {
  expect(isTransient(new TypeError('x'))).toBe(false)
})

test.each([
  ['bad_request', 400],
  ['unauthorized', 401],
  ['unavailable', 503],
])('the error class %s in a stream means status %d', (error, status) => {
  expect(errorOfEnvelope(JSON.stringify({ error, message: 'm' }))).toMatchObject({ status, message: 'm' })
})

test('an unreadable envelope still becomes an error', () => {
  expect(errorOfEnvelope('nonsense')).toBeInstanceOf(RunwrightError)
})
