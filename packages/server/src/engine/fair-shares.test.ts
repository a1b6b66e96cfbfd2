import type { RunClass } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import type { ClaimedRun, WaitingCustomer } from '../store/run-log/run-claimer.ts'
import { FairShares } from './fair-shares.ts'
import { Lanes } from './lanes.ts'

interface Holder {
  readonly customerId: string
  readonly count: number
  readonly runClass?: RunClass
}

const waits = (customerId: string, runs = 1, runClass: RunClass = 'short'): WaitingCustomer => ({
  customerId,
  runs,
  runClass,
})
const run = (customerId: string, runClass: RunClass = 'short') => ({ customerId, runClass })

function bench(slots: number, holders: readonly Holder[]) {
  const lanes = new Lanes(slots)
  for (const { customerId, count, runClass = 'short' } of holders) {
    for (let n = 0; n < count; n += 1) lanes.take(runClass, customerId)
  }
  const shares = new FairShares(lanes)
  /** Lets the runs of the customer yield as long as they must. Returns how many did. */
  const yieldAll = (customerId: string, runClass: RunClass = 'short') => {
    let count = 0
    for (; shares.mustYield({ customerId, runClass }); count += 1) lanes.release(runClass, customerId)
    return count
  }
  return { lanes, shares, yieldAll }
}

describe('with all slots held by one customer', () => {
  const full = () => bench(8, [{ customerId: 'a', count: 8 }])

  test('it keeps them while no other customer waits', () => {
    const { shares } = full()
    expect(shares.mustYield(run('a'))).toBe(false)
    shares.see([waits('a', 100)])
    expect(shares.mustYield(run('a'))).toBe(false)
  })

  test('one run yields for one waiting run', () => {
    const { shares, yieldAll } = full()
    shares.see([waits('a', 8), waits('b', 1)])
    expect(yieldAll('a')).toBe(1)
  })

  test('half of them go to another customer with a long queue', () => {
    const { shares, yieldAll } = full()
    shares.see([waits('a', 4), waits('b', 4)])
    expect(yieldAll('a')).toBe(4)
  })

  test('no run yields once the waiting run is claimed', () => {
    const { lanes, shares, yieldAll } = full()
    shares.see([waits('b', 1)])
    yieldAll('a')
    lanes.take('short', 'b')
    shares.claimed([run('b') as ClaimedRun])
    expect(shares.mustYield(run('a'))).toBe(false)
  })

  test('more run yield for the rest of the runs that wait', () => {
    const { lanes, shares, yieldAll } = full()
    shares.see([waits('b', 3)])
    lanes.release('short', 'a')
    lanes.take('short', 'b')
    shares.claimed([run('b') as ClaimedRun])
    expect(yieldAll('a')).toBe(2)
  })

  test('it keeps one, however many customers wait', () => {
    const { shares, yieldAll } = full()
    shares.see(Array.from({ length: 20 }, (_, n) => waits(`c${n}`, 1)))
    expect(yieldAll('a')).toBe(7)
  })

  test('no run yields when the waiting customers have left', () => {
    const { shares } = full()
    shares.see([waits('b', 1)])
    shares.see([])
    expect(shares.mustYield(run('a'))).toBe(false)
  })
})

test('a customer that has its share waits, even if others have more', () => {
  const { shares } = bench(9, [
    { customerId: 'a', count: 5 },
    { customerId: 'b', count: 4 },
  ])
  shares.see([waits('a', 5), waits('b', 5)])
  expect([shares.mustYield(run('a')), shares.mustYield(run('b'))]).toEqual([false, false])
})

test('only customers above their share yield', () => {
  const { shares } = bench(9, [
    { customerId: 'a', count: 6 },
    { customerId: 'b', count: 3 },
  ])
  shares.see([waits('c', 3)])
  expect([shares.mustYield(run('a')), shares.mustYield(run('b'))]).toEqual([true, false])
})

test('no run yields while there is a free slot for the one that waits', () => {
  const { shares } = bench(8, [{ customerId: 'a', count: 7 }])
  shares.see([waits('b', 1)])
  expect(shares.mustYield(run('a'))).toBe(false)
})

describe('lanes', () => {
  test('long runs yield for a long run when their lane is full, though other slots are free', () => {
    const { shares, yieldAll } = bench(8, [{ customerId: 'a', count: 4, runClass: 'long' }])
    shares.see([waits('b', 2, 'long')])
    expect(shares.mustYield(run('a', 'short'))).toBe(false)
    expect(yieldAll('a', 'long')).toBe(2)
  })

  test('a run of any class yields for a short run when no slot is free', () => {
    const { shares } = bench(8, [
      { customerId: 'a', count: 4, runClass: 'long' },
      { customerId: 'a', count: 2, runClass: 'default' },
      { customerId: 'a', count: 2, runClass: 'short' },
    ])
    shares.see([waits('b', 1, 'short')])
    const classes: RunClass[] = ['long', 'default', 'short']
    expect(classes.map((runClass) => shares.mustYield(run('a', runClass)))).toEqual([true, true, true])
  })

  test('a short run does not yield for a long run whose lane is full', () => {
    const { shares } = bench(8, [
      { customerId: 'a', count: 2, runClass: 'long' },
      { customerId: 'b', count: 2, runClass: 'long' },
      { customerId: 'a', count: 4, runClass: 'short' },
    ])
    shares.see([waits('b', 2, 'long')])
    expect(shares.mustYield(run('a', 'short'))).toBe(false)
  })

  test('a short run yields for a long run whose lane has room', () => {
    const { shares, yieldAll } = bench(8, [{ customerId: 'a', count: 8, runClass: 'short' }])
    shares.see([waits('b', 1, 'long')])
    expect(yieldAll('a', 'short')).toBe(1)
  })
})

describe('a look at the queue', () => {
  const lane = (runClass: RunClass, slots: number, afterCustomer = '') => ({ runClass, slots, afterCustomer })

  test('asks for the shares of all slots of a lane', () => {
    const { shares } = bench(8, [])
    expect(shares.lanesOf(['short', 'long'])).toEqual([lane('short', 8), lane('long', 4)])
  })

  test('goes on behind the customers that it found when there may be more, and then starts again', () => {
    const { shares } = bench(8, [])
    const many = Array.from({ length: 32 }, (_, n) => waits(`c${n + 10}`, 1))
    shares.see(many)
    expect(shares.lanesOf(['short', 'long'])).toEqual([lane('short', 8, 'c41'), lane('long', 4)])
    shares.see(many.slice(1))
    expect(shares.lanesOf(['short'])).toEqual([lane('short', 8)])
  })
})
