import { expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { nestsDeeper as nestsDeeperInParts } from './nests-deeper.ts'

const nestsDeeper = (value: unknown, maxDepth: number) => finish(nestsDeeperInParts(value, maxDepth))

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

test('looks at a large value in parts', () => {
  const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, [n]]))
  let parts = 0
  for (const _ of nestsDeeperInParts(keys, 2)) parts += 1
  expect(parts).toBe(50)
})
