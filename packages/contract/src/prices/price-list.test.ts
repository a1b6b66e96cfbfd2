import { expect, test } from 'vitest'
import { readPriceList } from './price-list.ts'

const prices = {
  currency: 'EUR',
  date: '2026-11-01',
  models: { 'openai/large': { input: 2.5, output: 10, cached: 1 } },
}

test('a price list is read as it is', () => {
  expect(readPriceList(prices)).toEqual({ ok: true, prices })
})

test.each([
  [[], 'it must be an object with currency, date and models'],
  [{ ...prices, currency: 'euro' }, 'currency must be three capital letters, such as EUR'],
  [{ ...prices, date: '1.11.2026' }, 'date must be a day, such as 2026-11-01'],
  [{ ...prices, date: undefined }, 'date is required'],
  [{ ...prices, models: { m: { input: -1, output: 1 } } }, 'models.m.input must be at least 0'],
  [{ ...prices, models: { m: { input: 1 } } }, 'models.m.output is required'],
  [{ ...prices, models: { m: { input: 1, output: 1, cache: 1 } } }, 'models.m.cache is not a known field'],
  [{ ...prices, model: {} }, 'model is not a known field'],
])('%j is refused in one clause', (value, problem) => {
  expect(readPriceList(value)).toEqual({ ok: false, problems: [expect.stringContaining(problem)] })
})

test('each mistake is named, and of very many the first ten', () => {
  const value = { ...prices, date: 'today', models: { a: { input: -1, output: 'x' } } }
  expect(readPriceList(value)).toEqual({
    ok: false,
    problems: [
      'date must be a day, such as 2026-11-01',
      'models.a.input must be at least 0',
      'models.a.output must be a number',
    ],
  })
  const models = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`m${n}`, {}]))
  expect(readPriceList({ ...prices, models })).toMatchObject({ problems: { length: 10 } })
})
