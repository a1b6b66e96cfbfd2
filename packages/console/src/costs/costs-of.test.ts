import { expect, test } from 'vitest'
import { costsOf } from './costs-of.ts'

const prices = { currency: 'EUR', date: '2026-11-01', models: { large: { input: 2, output: 10, cached: 0.5 } } }
const million = 1_000_000

test('tokens of a name are added up over its models, and those without a price are kept apart', () => {
  const rows = [
    { key: 'a', model: 'large', tokens: { total: 3 * million, input: 2 * million, output: million, cached: million } },
    { key: 'a', model: 'other', tokens: { total: 7, input: 5, output: 2 } },
    { key: 'b', model: null, tokens: { total: 9 } },
    { key: 'b', model: 'large', tokens: { total: 4 } },
    { key: 'c', model: 'large', tokens: { total: 45, input: 10, output: 32 } },
  ]
  expect(costsOf(prices, rows, ({ key }) => key)).toEqual([
    {
      key: 'a',
      cost: 2 + 0.5 + 10,
      tokens: 3 * million + 7,
      unpriced: [{ model: 'other', reason: 'no_price', tokens: 7 }],
    },
    {
      key: 'b',
      cost: 0,
      tokens: 13,
      unpriced: [
        { model: null, reason: 'no_record', tokens: 9 },
        { model: 'large', reason: 'no_counts', tokens: 4 },
      ],
    },
    { key: 'c', cost: 340 / million, tokens: 45, unpriced: [{ model: 'large', reason: 'no_counts', tokens: 3 }] },
  ])
})
