// What the harness knows of a run that a client creates.
import { History } from '../checker/history.ts'
import type { ShopTask } from '../shop/shop-tasks.ts'

export class RunRecord {
  /** The idempotency key of its create. */
  readonly key: string
  readonly kind: string
  readonly history = new History()
  /** What the run must have done in the shop when it has ended well. */
  readonly task: ShopTask | undefined
  #id: string | undefined

  constructor(kind: string, key: string, task?: ShopTask) {
    this.kind = kind
    this.key = key
    this.task = task
  }

  /** Every acknowledged one, should two of them differ. */
  readonly acknowledged = new Set<string>()

  acknowledge(id: string): void {
    this.acknowledged.add(id)
    this.#id ??= id
  }

  get id(): string {
    if (this.#id === undefined) throw new Error(`the create ${this.key} was not acknowledged`)
    return this.#id
  }
}
