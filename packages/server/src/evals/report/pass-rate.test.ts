import { expect, test } from 'vitest'
import { largestK, meanPassHat, passHat } from './pass-rate.ts'

test.each([
  [4, 4, 2, 1],
  [4, 2, 1, 1 / 2],
  // C(2,2) / C(4,2)
  [4, 2, 2, 1 / 6],
  [4, 2, 3, 0],
  [5, 3, 2, 3 / 10],
  [1, 0, 1, 0],
])('with %i trials of which %i passed, pass^%i is %f', (trials, passed, k, expected) => {
  expect(passHat({ trials, passed }, k)).toBeCloseTo(expected, 12)
})

test('a thousand trials do not overflow', () => {
  expect(passHat({ trials: 1_000, passed: 999 }, 500)).toBeCloseTo(0.5, 9)
})

test('every case counts the same, and k is at most the smallest number of trials', () => {
  const cases = [
    { trials: 4, passed: 2 },
    { trials: 2, passed: 2 },
  ]
  expect(meanPassHat(cases, 1)).toBeCloseTo(0.75, 12)
  expect(meanPassHat(cases, 2)).toBeCloseTo((1 / 6 + 1) / 2, 12)
  expect(largestK(cases)).toBe(2)
})
