// Two hundred tasks of the shop, each with the one right course of actions. Some actions need the receipt of an earlier
// one, so a model that lost a result cannot go on.
import { type ShopAction, ShopWorld } from './shop-world.ts'

/** Actions of one stage belong to one turn of the model; their order is free. */
export type Stage = readonly ShopAction[]
export interface ShopTask {
  readonly id: string
  readonly wish: string
  readonly stages: readonly Stage[]
}

type Build = (order: string, n: number) => { readonly wish: string; readonly stages: readonly Stage[] }

const skuAt = (n: number) => `sku-${n % 20}`
const priceOf = (n: number) => 500 + 37 * (n % 90)

const buy: Build = (order, n) => ({
  wish: 'buys one product',
  stages: [
    [{ name: 'reserve', order, sku: skuAt(n), quantity: 1 + (n % 3) }],
    [{ name: 'charge', order, cents: priceOf(n) }],
    [{ name: 'ship', order }],
  ],
})

const buyTwo: Build = (order, n) => ({
  wish: 'buys two products',
  stages: [
    [
      { name: 'reserve', order, sku: skuAt(n), quantity: 1 },
      { name: 'reserve', order, sku: skuAt(n + 7), quantity: 2 },
    ],
    [{ name: 'charge', order, cents: priceOf(n) }],
    [{ name: 'ship', order }],
  ],
})

const giveBack: Build = (order, n) => ({
  wish: 'gives a product back',
  stages: [[{ name: 'refund', order, cents: priceOf(n) }], [{ name: 'release', order, sku: skuAt(n), quantity: 1 }]],
})

const exchange: Build = (order, n) => ({
  wish: 'exchanges a product',
  stages: [
    [
      { name: 'refund', order, cents: priceOf(n) },
      { name: 'release', order, sku: skuAt(n), quantity: 1 },
    ],
    [{ name: 'reserve', order, sku: skuAt(n + 3), quantity: 1 }],
    [{ name: 'charge', order, cents: priceOf(n + 3) }],
    [{ name: 'ship', order }],
  ],
})

const complain: Build = (order, n) => ({
  wish: 'complains',
  stages: [[{ name: 'credit', order, cents: 100 + (n % 7) * 50 }]],
})

const kinds: readonly Build[] = [buy, buyTwo, giveBack, exchange, complain]

/** The name of a task says which lap of the list it is from: orders of different laps differ. */
export function taskAt(n: number): ShopTask {
  const id = `T${String(n % 200).padStart(3, '0')}L${Math.floor(n / 200)}`
  const build = kinds[n % kinds.length] as Build
  return { id, ...build(`order-${id}`, n % 200) }
}

/** The right end: each task done once, whatever the order between tasks. */
export function rightHash(tasks: readonly ShopTask[]): string {
  const world = new ShopWorld()
  for (const { stages } of tasks) for (const action of stages.flat()) world.apply(action)
  return world.hash
}
