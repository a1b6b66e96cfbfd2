import { expect, test } from 'vitest'
import { fuseRanks } from './fuse-ranks.ts'

const order = (...rankings: string[][]) => fuseRanks(rankings).map(({ id }) => id)

test('good places in both rankings beat the first place in one', () => {
  expect(order(['a', 'x', 'b'], ['c', 'x', 'd'])).toEqual(['x', 'a', 'c', 'b', 'd'])
})

test('without a second ranking the first is kept', () => {
  expect(order(['a', 'b', 'c'], [])).toEqual(['a', 'b', 'c'])
  expect(order([], ['c', 'b'])).toEqual(['c', 'b'])
  expect(order([], [])).toEqual([])
})

test('the score is 1 for the first place everywhere, and less for everything else', () => {
  const [first, second] = fuseRanks([
    ['a', 'b'],
    ['a', 'b'],
  ])
  expect(first?.score).toBe(1)
  expect(second?.score).toBeLessThan(1)
  expect(fuseRanks([['a'], ['b']])[0]?.score).toBe(0.5)
})
