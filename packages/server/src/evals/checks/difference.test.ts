import { expect, test } from 'vitest'
import { firstDifference, matchesPartially, valueAt } from './difference.ts'

test.each([
  [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, undefined],
  [{ a: { 'x/y': 1 } }, { a: { 'x/y': 2 } }, '/a/x~1y is 2, expected 1'],
  [{ a: 1 }, { a: 1, b: 2 }, '/b is 2, expected missing'],
  [{ a: 1, b: null }, { a: 1 }, '/b is missing, expected null'],
  [{ a: [1, 2] }, { a: [1, 3] }, '/a/1 is 3, expected 2'],
  [{ a: [1, 2] }, { a: [1] }, '/a is [1], expected [1,2]'],
  [1, '1', 'the value is "1", expected 1'],
])('%j and %j: %s', (expected, actual, difference) => {
  expect(firstDifference(expected, actual)).toBe(difference)
})

test('a pointer finds a value, and nothing that is inherited', () => {
  const value = { a: [{ 'x/y': 5 }], '': 7 }
  expect(valueAt(value, '/a/0/x~1y')).toBe(5)
  expect(valueAt(value, '/')).toBe(7)
  expect(valueAt(value, '')).toBe(value)
  expect([valueAt(value, '/a/9'), valueAt(value, '/toString'), valueAt(value, '/a/length/x')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, true],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: 1 }, { b: 2 }, false],
  [{ a: 1 }, 'a', false],
  [{}, 'text', false],
  [{ toString: 1 }, {}, false],
])('%j in %j: %s', (expected, actual, matches) => {
  expect(matchesPartially(expected, actual)).toBe(matches)
})
