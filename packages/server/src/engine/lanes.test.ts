import { expect, test } from 'vitest'
import { Lanes } from './lanes.ts'

const open = (lanes: Lanes) => Object.fromEntries(lanes.open().map(({ runClass, slots }) => [runClass, slots]))

test('short runs may take all slots, others a share', () => {
  const lanes = new Lanes(8)
  expect(lanes.free).toBe(8)
  expect(open(lanes)).toEqual({ short: 8, default: 6, long: 4 })
})

test('longer runs count against the share of shorter ones, but not the other way round', () => {
  const lanes = new Lanes(8)
  for (let count = 0; count < 4; count += 1) lanes.take('long', 'acme')
  expect(open(lanes)).toEqual({ short: 4, default: 2 })
  const other = new Lanes(8)
  other.take('short', 'acme')
  expect(open(other)).toEqual({ short: 7, default: 6, long: 4 })
})

test('no lane offers more than the free slots, and none is open when there are none', () => {
  const lanes = new Lanes(8)
  for (let count = 0; count < 6; count += 1) lanes.take('short', 'acme')
  expect(open(lanes)).toEqual({ short: 2, default: 2, long: 2 })
  lanes.take('short', 'acme')
  lanes.take('short', 'acme')
  expect([lanes.free, open(lanes)]).toEqual([0, {}])
  lanes.release('short', 'acme')
  expect(open(lanes)).toEqual({ short: 1, default: 1, long: 1 })
})

test('one slot is open to every class', () => {
  expect(open(new Lanes(1))).toEqual({ short: 1, default: 1, long: 1 })
})

test('each lane continues after the customer it served last', () => {
  const lanes = new Lanes(4)
  lanes.served('default', 'acme')
  const after = Object.fromEntries(lanes.open().map(({ runClass, afterCustomer }) => [runClass, afterCustomer]))
  expect(after).toEqual({ short: '', default: 'acme', long: '' })
})

test('the slots of each customer are counted in every lane that they count against', () => {
  const lanes = new Lanes(8)
  lanes.take('long', 'acme')
  lanes.take('short', 'acme')
  lanes.take('default', 'other')
  expect(lanes.holdings()).toEqual([
    { customerId: 'acme', inLane: { short: 2, default: 1, long: 1 } },
    { customerId: 'other', inLane: { short: 1, default: 1, long: 0 } },
  ])
  expect([lanes.heldIn('short', 'acme'), lanes.heldIn('long', 'other'), lanes.heldIn('long', 'third')]).toEqual([
    2, 0, 0,
  ])
  expect([lanes.customersIn('default'), lanes.customersIn('long')]).toEqual([['acme', 'other'], ['acme']])
})

test('a customer without slots is forgotten', () => {
  const lanes = new Lanes(8)
  lanes.take('long', 'acme')
  lanes.release('long', 'acme')
  expect(lanes.holdings()).toEqual([])
})

test('a large holder holds more than one slot', () => {
  const lanes = new Lanes(8)
  lanes.take('long', 'acme')
  lanes.take('long', 'other')
  expect(lanes.hasLargeHolder).toBe(false)
  lanes.take('short', 'other')
  expect(lanes.hasLargeHolder).toBe(true)
})
