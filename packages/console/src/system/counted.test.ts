import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test.each([
  [0, '0'],
  [10_000, '10,000'],
  [10_001, 'more than 10,000'],
])('%d is shown as %s', (value, text) => {
  expect(counted(value)).toBe(text)
})
