import { expect, test } from 'vitest'
import { readable, readableDuration, readableNumber, readableSeconds } from './readable.ts'

test('words lose their underscores', () => {
  expect(readable('awaiting_input')).toBe('awaiting input')
})

test('numbers are grouped', () => {
  expect(readableNumber(1_000_412)).toBe('1,000,412')
})

test.each([
  [0.4, '0.4 s'],
  [59, '59 s'],
  [59.94, '59.9 s'],
  [59.95, '1 min'],
  [60, '1 min'],
  [900, '15 min'],
  [43_200, '12 h'],
  [86_400, '1 d'],
  [93_784, '1 d 2 h'],
  [3_605, '1 h 5 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(readableSeconds(seconds)).toBe(text)
})

test.each([
  [0, '0 ms'],
  [0.2, '1 ms'],
  [1.2, '1 ms'],
  [430, '430 ms'],
  [999.4, '999 ms'],
  [999.5, '1 s'],
  [1_240, '1.2 s'],
  [61_000, '1 min 1 s'],
])('%d milliseconds are %s', (ms, text) => {
  expect(readableDuration(ms)).toBe(text)
})

test('an age needs one unit only', () => {
  expect(readableDuration(93_784_000, 1)).toBe('1 d')
})
