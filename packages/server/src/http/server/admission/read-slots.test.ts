import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ReadSlots } from './read-slots.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Takes a slot and notes when it has it. */
function take(slots: ReadSlots, customerId: string, order: string[], name: string) {
  return slots.take(customerId).then((giveBack) => {
    order.push(name)
    return giveBack
  })
}

test('a read beyond the slots of its customer waits until one is given back, first come, first served', async () => {
  const slots = new ReadSlots({ perCustomer: 2 })
  const order: string[] = []
  const taken = ['a', 'b', 'c', 'd'].map((name) => take(slots, 'acme', order, name))
  const giveBack = await taken[0]
  await taken[1]
  expect(order).toEqual(['a', 'b'])
  giveBack?.()
  ;(await taken[2])?.()
  await taken[3]
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('another customer does not wait', async () => {
  const slots = new ReadSlots({ perCustomer: 1 })
  const order: string[] = []
  await take(slots, 'acme', order, 'acme 1')
  void take(slots, 'acme', order, 'acme 2')
  await take(slots, 'other', order, 'other')
  expect(order).toEqual(['acme 1', 'other'])
})

test('a slot that is given back twice is one slot', async () => {
  const slots = new ReadSlots({ perCustomer: 1 })
  const order: string[] = []
  const giveBack = await slots.take('acme')
  const waiting = ['b', 'c'].map((name) => take(slots, 'acme', order, name))
  giveBack()
  giveBack()
  await waiting[0]
  expect(order).toEqual(['b'])
})

test('a read that waits too long is refused, and its place in line is free', async () => {
  const slots = new ReadSlots({ perCustomer: 1, maxWaiting: 1, waitMs: 5_000 })
  const giveBack = await slots.take('acme')
  const late = expect(slots.take('acme')).rejects.toMatchObject({ reason: 'RATE_LIMITED', retryAfterSeconds: 1 })
  await vi.advanceTimersByTimeAsync(5_000)
  await late
  const next = slots.take('acme')
  giveBack()
  await expect(next).resolves.toBeTypeOf('function')
})

test('a read that finds the line full is refused at once', async () => {
  const slots = new ReadSlots({ perCustomer: 1, maxWaiting: 1 })
  await slots.take('acme')
  void slots.take('acme')
  await expect(slots.take('acme')).rejects.toMatchObject({ reason: 'RATE_LIMITED' })
})

test('a customer without reads takes no memory', async () => {
  const slots = new ReadSlots({ perCustomer: 1 })
  const giveBack = await slots.take('acme')
  const next = slots.take('acme')
  giveBack()
  ;(await next)()
  expect(slots.size).toBe(0)
})
