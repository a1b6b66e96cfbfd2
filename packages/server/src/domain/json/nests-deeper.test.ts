import { expect, test } from 'vitest'
import { nestsDeeper } from './nests-deeper.ts'

const nested = (depth: number): unknown => JSON.parse(`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`)

test('counts arrays and objects', () => {
  expect([1, 'x', null, [], {}].map((value) => nestsDeeper(value, 1))).toEqual([false, false, false, false, false])
  expect(nestsDeeper([[1]], 1)).toBe(true)
  expect(nestsDeeper(nested(10), 10)).toBe(false)
  expect(nestsDeeper(nested(12), 11)).toBe(true)
})

test('does not recurse', () => {
  expect(nestsDeeper(nested(200_000), 100)).toBe(true)
  expect(nestsDeeper(nested(200_000), 200_000)).toBe(false)
})
