// At most a few expensive reads of a customer at once. More wait in line for a while, then they are refused. Other
// customers have slots of their own.
import { ServiceError } from '../../../domain/service-error.ts'
import type { Call, HandledRoute } from '../response/handler.ts'

interface ReadSlotsOptions {
  readonly perCustomer?: number
  readonly maxWaiting?: number
  readonly waitMs?: number
}

interface Line {
  taken: number
  /** Called when it is the turn of the read, first come, first served. */
  readonly waiting: Set<() => void>
}

export class ReadSlots {
  readonly #options: Required<ReadSlotsOptions>
  readonly #lines = new Map<string, Line>()

  constructor(options: ReadSlotsOptions = {}) {
    this.#options = { perCustomer: 4, maxWaiting: 200, waitMs: 5_000, ...options }
  }

  /** Resolves with the function that gives the slot back. */
  async take(customerId: string): Promise<() => void> {
    const line = this.#lineOf(customerId)
    if (line.taken < this.#options.perCustomer) line.taken += 1
    else await this.#waitIn(line)
    let isBack = false
    return () => {
      if (!isBack) this.#giveBack(customerId, line)
      isBack = true
    }
  }

  /** The number of customers that have reads under way. */
  get size(): number {
    return this.#lines.size
  }

  #lineOf(customerId: string): Line {
    const line = this.#lines.get(customerId) ?? { taken: 0, waiting: new Set() }
    this.#lines.set(customerId, line)
    return line
  }

  #waitIn({ waiting }: Line): Promise<void> {
    if (waiting.size >= this.#options.maxWaiting) throw this.#refusal()
    return new Promise((resolve, reject) => {
      const proceed = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(proceed)
        reject(this.#refusal())
      }, this.#options.waitMs)
      waiting.add(proceed)
    })
  }

  /** The slot goes to the first in line, if there is one. */
  #giveBack(customerId: string, line: Line): void {
    const [next] = line.waiting
    if (next) {
      line.waiting.delete(next)
      next()
      return
    }
    line.taken -= 1
    if (line.taken === 0) this.#lines.delete(customerId)
  }

  #refusal(): ServiceError {
    return new ServiceError(
      'RATE_LIMITED',
      `The customer already has ${this.#options.perCustomer} large reads in progress. Retry later.`,
      1,
    )
  }
}

const always = () => true

/** The reads that take a slot of their customer: their answers may be large, or the database works long for them. */
const expensiveReads: { readonly [R in HandledRoute]?: (query: Call<R>['query']) => boolean } = {
  listRuns: ({ include }) => include !== undefined,
  countRuns: always,
  listTurns: always,
  getUsage: always,
  listUsageEvents: always,
  listBudgets: always,
  listMemory: always,
  exportMemory: always,
}

// TypeScript cannot see that `name` selects both the function and the type of its query.
export const isExpensive = (name: HandledRoute, query: unknown): boolean =>
  (expensiveReads[name] as ((query: unknown) => boolean) | undefined)?.(query) ?? false
