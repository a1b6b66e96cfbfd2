import { describe, expect, test } from 'vitest'
import { memoize } from './memoize.ts'

const counted = () => {
  let calls = 0
  const answer = memoize((text: string) => {
    calls += 1
    return text.length
  })
  return { answer, calls: () => calls }
}

describe('memoize', () => {
  test('computes once for each text', () => {
    const { answer, calls } = counted()
    expect([answer('a'), answer('bb'), answer('a'), answer('bb')]).toEqual([1, 2, 1, 2])
    expect(calls()).toBe(2)
  })

  test('does not cache long texts', () => {
    const { answer, calls } = counted()
    const long = 'x'.repeat(65)
    expect([answer(long), answer(long)]).toEqual([65, 65])
    expect(calls()).toBe(2)
  })

  test('clears the cache when it is full', () => {
    const { answer, calls } = counted()
    for (let n = 0; n <= 10_000; n += 1) answer(`key ${n}`)
    answer('key 10000')
    expect(calls()).toBe(10_001)
    answer('key 0')
    expect(calls()).toBe(10_002)
  })
})
