import { expect, test } from 'vitest'
import { plural } from './plural.ts'

test.each([
  [0, '0 runs'],
  [1, '1 run'],
  [1_200, '1,200 runs'],
])('%d is %s', (count, text) => {
  expect(plural(count, 'run')).toBe(text)
})

test('an irregular plural is given', () => {
  expect([1, 2].map((count) => plural(count, 'query', 'queries'))).toEqual(['1 query', '2 queries'])
})
