// The pages of runs that streams follow. Streams with the same customer and query share one. The pages of a customer
// are read one after another, so that many different queries cannot take the database from others.
import type { StreamRunsQuery } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import type { CustomerChanges } from '../../events/customer-changes.ts'
import { Counts } from '../../runtime/counts.ts'
import type { ListCaller } from '../../store/runs/assigned-runs.ts'
import { CustomerTurns } from './customer-turns.ts'
import { LiveRunPage, type PageContent } from './live-run-page.ts'

export interface PageKey {
  readonly customerId: string
  readonly query: StreamRunsQuery
  /** Whose list it is, if it is not that of everyone. */
  readonly caller?: ListCaller | undefined
}

interface LivePagesOptions {
  readonly read: (key: PageKey) => Promise<PageContent>
  readonly changes: Pick<CustomerChanges, 'watch'>
  readonly maxPerCustomer?: number
  /** Of all tokens of a key with the same limits. */
  readonly maxPerLimits?: number
}

interface OpenPage {
  readonly page: LiveRunPage
  readonly unwatch: () => void
  users: number
}

export class LiveRunPages {
  readonly #options: LivePagesOptions
  readonly #maxPerCustomer: number
  readonly #maxPerLimits: number
  readonly #open = new Map<string, OpenPage>()
  readonly #perCustomer = new Counts()
  readonly #perLimits = new Counts()
  readonly #turns = new CustomerTurns()

  constructor(options: LivePagesOptions) {
    this.#options = options
    this.#maxPerCustomer = options.maxPerCustomer ?? 100
    this.#maxPerLimits = options.maxPerLimits ?? 10
  }

  /** Each call must be followed by one of `leave`. */
  join(key: PageKey, limitsId?: string): { readonly page: LiveRunPage; readonly leave: () => void } {
    if (limitsId !== undefined && this.#perLimits.of(limitsId) >= this.#maxPerLimits)
      throw tooManyPages('holder of the token', this.#maxPerLimits)
    const name = nameOf(key)
    const open = this.#open.get(name) ?? this.#openPage(name, key)
    open.users += 1
    if (limitsId !== undefined) this.#perLimits.change(limitsId, 1)
    const leave = () => {
      if (limitsId !== undefined) this.#perLimits.change(limitsId, -1)
      this.#leave(name, key, open)
    }
    return { page: open.page, leave }
  }

  /** Reads the pages that are due. */
  tick(now: number = performance.now()): void {
    for (const { page } of this.#open.values()) {
      // The followers of the page were told about an error.
      if (page.isDue(now)) void page.read().catch(() => undefined)
    }
  }

  #openPage(name: string, key: PageKey): OpenPage {
    const { customerId } = key
    if (this.#perCustomer.of(customerId) >= this.#maxPerCustomer) throw tooManyPages('customer', this.#maxPerCustomer)
    const page = new LiveRunPage({
      read: () => this.#options.read(key),
      inTurn: (work) => this.#turns.inTurn(customerId, work),
    })
    const unwatch = this.#options.changes.watch(customerId, () => page.noteChange())
    const open = { page, unwatch, users: 0 }
    this.#open.set(name, open)
    this.#perCustomer.change(customerId, 1)
    return open
  }

  #leave(name: string, { customerId }: PageKey, open: OpenPage): void {
    open.users -= 1
    if (open.users > 0) return
    open.unwatch()
    this.#open.delete(name)
    this.#perCustomer.change(customerId, -1)
  }
}

const nameOf = ({ customerId, query, caller }: PageKey): string =>
  JSON.stringify([
    customerId,
    caller ?? null,
    ...Object.entries(query).sort(([one], [other]) => (one < other ? -1 : 1)),
  ])

const tooManyPages = (owner: string, limit: number) =>
  new ServiceError(
    'STREAM_LIMIT_REACHED',
    `The ${owner} already follows ${limit} different lists of runs. Close one or follow a list with fewer filters.`,
    5,
  )
