import { expect, test } from 'vitest'
import { readableCost, readableDay } from './readable-cost.ts'

const unpriced = [{ model: 'm', reason: 'no_price', tokens: 1 }] as const

test.each([
  [0, '€0.00'],
  [1234.5678, '€1,234.57'],
  [0.4, '€0.40'],
  [0.0021, '€0.0021'],
  [0.0000004, '< €0.000001'],
])('%d is shown as %s', (cost, text) => {
  expect(readableCost({ cost, unpriced: [] }, 'EUR')).toBe(text)
})

test('a sum that leaves something out does not look complete', () => {
  expect(readableCost({ cost: 0.4, unpriced }, 'USD')).toBe('$0.40 + ?')
  expect(readableCost({ cost: 0, unpriced }, 'USD')).toBe('$0.00 + ?')
})

test('a currency that nobody knows is named by its letters', () => {
  expect(readableCost({ cost: 2, unpriced: [] }, 'QQQ').replace('\u00a0', ' ')).toBe('QQQ 2.00')
})

test('the day of the prices', () => {
  expect(readableDay('2026-11-01')).toBe('1 Nov 2026')
})
