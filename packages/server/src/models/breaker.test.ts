import { describe, expect, test } from 'vitest'
import { Breaker, Breakers } from './breaker.ts'

function clocked() {
  const clock = { now: 0 }
  const changes: boolean[] = []
  const breaker = new Breaker(
    'p/m',
    (isOpen) => changes.push(isOpen),
    () => clock.now,
  )
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.failed()
  }
  return { clock, changes, breaker, fail }
}

describe('a breaker', () => {
  test('opens after five failures in a row, for 30 s', () => {
    const { breaker, fail, clock, changes } = clocked()
    fail(4)
    expect(breaker.admit()).toBeUndefined()
    fail(1)
    expect(breaker.admit()).toBe(30_000)
    clock.now = 10_000
    expect(breaker.admit()).toBe(20_000)
    expect(changes).toEqual([true])
  })

  test('does not open when a call succeeds in between', () => {
    const { breaker, fail } = clocked()
    fail(4)
    breaker.succeeded()
    fail(4)
    expect(breaker.admit()).toBeUndefined()
  })

  test('then admits one call, and the others wait', () => {
    const { breaker, fail, clock } = clocked()
    fail(5)
    clock.now = 30_000
    expect(breaker.admit()).toBeUndefined()
    expect(breaker.admit()).toBe(1_500)
  })

  test('closes when that call succeeds, and stays open when it fails', () => {
    const { breaker, fail, clock, changes } = clocked()
    fail(5)
    clock.now = 30_000
    breaker.admit()
    breaker.failed()
    expect(breaker.admit()).toBe(30_000)
    clock.now = 60_000
    breaker.admit()
    breaker.succeeded()
    expect(breaker.admit()).toBeUndefined()
    expect(changes).toEqual([true, false])
  })

  test('admits another call when the first was aborted', () => {
    const { breaker, fail, clock } = clocked()
    fail(5)
    clock.now = 30_000
    breaker.admit()
    breaker.forget()
    expect(breaker.admit()).toBeUndefined()
  })
})

test('breakers of different models are independent, and open ones are listed', () => {
  const breakers = new Breakers()
  for (let n = 0; n < 5; n += 1) breakers.of('a/x').failed()
  expect(breakers.of('b/y').admit()).toBeUndefined()
  expect(breakers.open).toEqual([{ model: 'a/x', failures: 5, retryInMs: expect.any(Number) }])
})
