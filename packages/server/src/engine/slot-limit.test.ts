import { expect, test } from 'vitest'
import { type Pace, SlotLimit } from './slot-limit.ts'

const onTime: Pace = { lagMs: 10, lostLeases: 0, executing: 64 }
const late: Pace = { lagMs: 1_500, lostLeases: 0, executing: 64 }

/** The slots after each of these looks. */
const placesAfter = (limit: SlotLimit, paces: readonly Pace[]) =>
  paces.map((pace) => {
    limit.look(pace)
    return limit.slots
  })
const times = (count: number, pace: Pace) => Array.from({ length: count }, () => pace)

test('a worker that keeps up has all slots', () => {
  expect(placesAfter(new SlotLimit(64), times(3, onTime))).toEqual([64, 64, 64])
})

test('one that is late has half of its slots, and halves them again only when that had time to help', () => {
  const limit = new SlotLimit(64)
  expect(placesAfter(limit, times(9, late))).toEqual([32, 32, 32, 32, 16, 16, 16, 16, 8])
})

test('one that keeps up again gets a slot each second', () => {
  const limit = new SlotLimit(8)
  expect(placesAfter(limit, [{ ...late, executing: 8 }, ...times(6, onTime)])).toEqual([4, 5, 6, 7, 8, 8, 8])
})

test('a lost lease counts as being late, but does not stop claims', () => {
  const limit = new SlotLimit(64)
  limit.look({ ...onTime, lostLeases: 1 })
  expect([limit.slots, limit.isBehind]).toEqual([32, false])
})

test('claims stop as long as it is late', () => {
  const limit = new SlotLimit(64)
  limit.look(late)
  expect(limit.isBehind).toBe(true)
  limit.look({ ...onTime, lagMs: 1_000 })
  expect(limit.isBehind).toBe(false)
})

test('a worker that executes nothing takes a run although it is late', () => {
  const limit = new SlotLimit(4)
  limit.look({ ...late, executing: 0 })
  expect(limit.isBehind).toBe(false)
})

test('one slot is left, whatever happens', () => {
  const limit = new SlotLimit(4)
  expect(placesAfter(limit, times(20, { lagMs: 9_000, lostLeases: 3, executing: 1 })).at(-1)).toBe(1)
})
