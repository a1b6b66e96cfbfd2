import { expect, test } from 'vitest'
import { retentionOf, sameForAll, shortestDays } from './retention.ts'

const none = {
  days: undefined,
  daysShort: undefined,
  daysLong: undefined,
  daysFailed: undefined,
  daysCancelled: undefined,
}

test('without settings everything is kept', () => {
  expect(retentionOf(none)).toEqual({})
  expect(shortestDays(retentionOf(none))).toBeUndefined()
})

test('the days for all runs are those of every class without its own', () => {
  expect(retentionOf({ ...none, days: 30, daysShort: 7 })).toEqual({ default: 30, short: 7, long: 30 })
})

test('a class or an outcome can be the only one that is removed', () => {
  expect(retentionOf({ ...none, daysShort: 7 })).toEqual({ short: 7 })
  expect(retentionOf({ ...none, daysFailed: 90 })).toEqual({ failed: 90 })
})

test('the shortest decides which runs are looked at', () => {
  expect(shortestDays(retentionOf({ ...none, days: 30, daysShort: 7, daysFailed: 90 }))).toBe(7)
  expect(shortestDays(sameForAll(3))).toBe(3)
})
