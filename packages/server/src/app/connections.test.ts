import { expect, test } from 'vitest'
import { connectionsWithin } from './connections.ts'

test.each([
  [10_000, 1_048_576, 10_000],
  [10_000, 20_000, 10_000],
  [10_000, 4_096, 3_096],
  [10_000, 1_024, 512],
  [10_000, undefined, 10_000],
  [100, 1_024, 100],
  // No limit is the operator's wish, whatever the system allows.
  [0, 1_024, 0],
])('of %s wanted connections with %s open files, %s are accepted', (wanted, openFiles, max) => {
  expect(connectionsWithin(wanted, openFiles)).toBe(max)
})
