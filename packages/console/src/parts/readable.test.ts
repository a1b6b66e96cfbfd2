import { expect, test } from 'vitest'
import { readable, readableNumber, readableSeconds } from './readable.ts'

test('words lose their underscores', () => {
  expect(readable('awaiting_input')).toBe('awaiting input')
})

test('numbers are grouped', () => {
  expect(readableNumber(1_000_412)).toBe('1,000,412')
})

test.each([
  [0.4, '0.4 s'],
  [59, '59 s'],
  [60, '1 min'],
  [900, '15 min'],
  [43_200, '12 h'],
  [86_400, '1 d'],
  [93_784, '1 d 2 h'],
  [3_605, '1 h 5 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(readableSeconds(seconds)).toBe(text)
})
