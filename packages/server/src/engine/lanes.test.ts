import { expect, test } from 'vitest'
import { Lanes } from './lanes.ts'

const open = (lanes: Lanes) => Object.fromEntries(lanes.open().map(({ runClass, places }) => [runClass, places]))

test('short runs may take all places, others a share', () => {
  const lanes = new Lanes(8)
  expect(lanes.free).toBe(8)
  expect(open(lanes)).toEqual({ short: 8, default: 6, long: 4 })
})

test('longer runs count against the share of shorter ones, but not the other way round', () => {
  const lanes = new Lanes(8)
  for (let count = 0; count < 4; count += 1) lanes.take('long')
  expect(open(lanes)).toEqual({ short: 4, default: 2 })
  const other = new Lanes(8)
  other.take('short')
  expect(open(other)).toEqual({ short: 7, default: 6, long: 4 })
})

test('no lane offers more than the free places, and none is open when there are none', () => {
  const lanes = new Lanes(8)
  for (let count = 0; count < 6; count += 1) lanes.take('short')
  expect(open(lanes)).toEqual({ short: 2, default: 2, long: 2 })
  lanes.take('short')
  lanes.take('short')
  expect([lanes.free, open(lanes)]).toEqual([0, {}])
  lanes.release('short')
  expect(open(lanes)).toEqual({ short: 1, default: 1, long: 1 })
})

test('one place is open to every class', () => {
  expect(open(new Lanes(1))).toEqual({ short: 1, default: 1, long: 1 })
})

test('each lane continues after the customer it served last', () => {
  const lanes = new Lanes(4)
  expect(lanes.isUnderWay).toBe(false)
  lanes.served('default', 'acme')
  const after = () => Object.fromEntries(lanes.open().map(({ runClass, afterCustomer }) => [runClass, afterCustomer]))
  expect(after()).toEqual({ short: '', default: 'acme', long: '' })
  expect(lanes.isUnderWay).toBe(true)
  lanes.served('default', undefined)
  expect([after().default, lanes.isUnderWay]).toEqual(['', false])
})
