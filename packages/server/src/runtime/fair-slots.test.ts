import { expect, test } from 'vitest'
import { FairSlots } from './fair-slots.ts'

test('owners take turns', async () => {
  const slots = new FairSlots(1)
  const order: string[] = []
  const work = (owner: string) => slots.run(owner, async () => void order.push(owner))
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(work))
  expect(order.join('')).toBe('aabcaba')
})

test('no more than its slots are used at once, and work that fails gives its slot back', async () => {
  const slots = new FairSlots(2)
  let [busy, most] = [0, 0]
  const work = async () => {
    busy += 1
    most = Math.max(most, busy)
    await new Promise((resolve) => setImmediate(resolve))
    busy -= 1
    throw new Error('no')
  }
  const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => slots.run(`owner-${n % 3}`, work)))
  expect([most, ends.filter(({ status }) => status === 'rejected').length]).toEqual([2, 10])
  expect(await slots.run('a', async () => 'well')).toBe('well')
})
