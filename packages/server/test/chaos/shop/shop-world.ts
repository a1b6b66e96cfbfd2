// The simulated shop as a pure machine: orders, payments and stock. No action is idempotent: made twice, it counts
// twice, and the hash of the state tells.
import { createHash } from 'node:crypto'

export interface ShopAction {
  readonly name: 'reserve' | 'charge' | 'ship' | 'refund' | 'release' | 'credit'
  readonly order: string
  readonly sku?: string
  readonly quantity?: number
  readonly cents?: number
}

interface Order {
  readonly reserved: Record<string, number>
  paidCents: number
  payments: number
  parcels: number
  creditCents: number
}

export class ShopWorld {
  readonly #stock: Record<string, number> = {}
  readonly #orders: Record<string, Order> = {}
  readonly #receipts: Record<string, number> = {}

  /** Returns a receipt, which a later action may have to name. */
  apply({ name, order: id, sku = '', quantity = 0, cents = 0 }: ShopAction): string {
    const order = this.#order(id)
    if (name === 'reserve' || name === 'release') {
      const moved = name === 'reserve' ? quantity : -quantity
      this.#stock[sku] = (this.#stock[sku] ?? 1_000) - moved
      order.reserved[sku] = (order.reserved[sku] ?? 0) + moved
    }
    if (name === 'charge') order.payments += 1
    if (name === 'charge') order.paidCents += cents
    if (name === 'refund') order.paidCents -= cents
    if (name === 'credit') order.creditCents += cents
    if (name === 'ship') order.parcels += 1
    const count = (this.#receipts[`${id}-${name}`] ?? 0) + 1
    this.#receipts[`${id}-${name}`] = count
    return `${id}-${name}-${count}`
  }

  /** The same for all orders of effects that belong to different orders of the shop. */
  get hash(): string {
    const sorted = (record: object) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
    const orders = sorted(this.#orders).map(([id, order]) => [
      id,
      sorted({ ...order, reserved: sorted(order.reserved) }),
    ])
    return createHash('sha256')
      .update(JSON.stringify([sorted(this.#stock), orders]))
      .digest('hex')
  }

  #order(id: string): Order {
    this.#orders[id] ??= { reserved: {}, paidCents: 0, payments: 0, parcels: 0, creditCents: 0 }
    return this.#orders[id]
  }
}
