import { expect, test } from 'vitest'
import { CostSheet, sumOfCosts } from './cost-sheet.ts'

const sheet = () =>
  new CostSheet({
    currency: 'EUR',
    date: '2026-11-01',
    models: { large: { input: 2, output: 10, cached: 0.5 }, small: { input: 1, output: 1 } },
  })

test('input, cached input and output have prices of their own', () => {
  const costs = sheet()
  costs.addCall('a', 'large', { total: 3_000_000, input: 2_000_000, output: 1_000_000, cached: 1_000_000 })
  costs.addCall('a', 'small', { total: 1_000_000, input: 1_000_000, output: 0, cached: 1_000_000 })
  expect(costs.rows()).toEqual([{ key: 'a', cost: 2 + 0.5 + 10 + 1, tokens: 4_000_000, unpriced: [] }])
})

test('a model without a price is named, and is not free', () => {
  const costs = sheet()
  costs.addCall('b', 'small', { total: 1_000_000, input: 1_000_000, output: 0 })
  costs.addCall('b', 'unknown', { total: 7, input: 5, output: 2 })
  costs.addCall('a', 'unknown', { total: 3, input: 3 })
  costs.addCall('a', 'constructor', { total: 1, input: 1 })
  const rows = costs.rows()
  expect(rows.map(({ key, cost }) => [key, cost])).toEqual([
    ['a', 0],
    ['b', 1],
  ])
  expect(sumOfCosts(rows).unpriced).toEqual([
    { model: 'unknown', reason: 'no_price', tokens: 10 },
    { model: 'constructor', reason: 'no_price', tokens: 1 },
  ])
})

test('tokens without separate counts, and those without a record, are named too', () => {
  const costs = sheet()
  costs.addCall('a', 'large', { total: 9 })
  costs.addCall('a', 'large', { total: 2_000_000, output: 1_000_000 })
  costs.addUnrecorded('a', 5)
  costs.addUnrecorded('a', 0)
  expect(costs.rows()).toEqual([
    {
      key: 'a',
      cost: 12,
      tokens: 2_000_014,
      unpriced: [
        { model: 'large', reason: 'no_counts', tokens: 9 },
        { model: null, reason: 'no_record', tokens: 5 },
      ],
    },
  ])
})

test('tokens that are counted only in the total are named, also where calls are added up', () => {
  const costs = sheet()
  costs.addCall('a', 'large', { total: 45, input: 10, output: 32 })
  costs.addCall('sum', 'large', { total: 3_000_007, input: 2_000_000, output: 1_000_000, cached: 1_000_000 })
  costs.addCall('sum', 'large', { total: 1_000_000, input: 1_000_000 })
  expect(costs.rows()).toEqual([
    {
      key: 'a',
      cost: (10 * 2 + 32 * 10) / 1_000_000,
      tokens: 45,
      unpriced: [{ model: 'large', reason: 'no_counts', tokens: 3 }],
    },
    {
      key: 'sum',
      cost: 2 + 0.5 + 10 + 2,
      tokens: 4_000_007,
      unpriced: [{ model: 'large', reason: 'no_counts', tokens: 7 }],
    },
  ])
})
