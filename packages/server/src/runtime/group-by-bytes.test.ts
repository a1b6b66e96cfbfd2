import { expect, test } from 'vitest'
import { groupByBytes } from './group-by-bytes.ts'

const group = (sizes: readonly number[], maxItems = 10) => [
  ...groupByBytes(sizes, { bytesOf: (size) => size, maxBytes: 10, maxItems }),
]

test.each([
  ['nothing', [], []],
  ['items that fit together', [3, 3, 4], [[3, 3, 4]]],
  ['items that do not', [3, 8, 2, 1], [[3], [8, 2], [1]]],
  ['an item that is too large', [1, 11, 1], [[1], [11], [1]]],
  ['items of no size', [0, 0, 0], [[0, 0, 0]]],
])('%s', (_case, sizes, groups) => {
  expect(group(sizes)).toEqual(groups)
})

test('a group has at most so many items', () => {
  expect(group([0, 0, 0, 0, 0], 2)).toEqual([[0, 0], [0, 0], [0]])
})
