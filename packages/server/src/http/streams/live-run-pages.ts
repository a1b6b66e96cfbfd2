// The pages of runs that streams follow. Streams with the same customer and query share one. The pages of a customer
// are read one after another, so that many different queries cannot take the database from others.
import type { StreamRunsQuery } from '@runwright/contract'
import { ServiceError } from '../../domain/service-error.ts'
import type { CustomerChanges } from '../../events/customer-changes.ts'
import { Counts } from '../../runtime/counts.ts'
import { CustomerTurns } from './customer-turns.ts'
import { LiveRunPage, type PageContent } from './live-run-page.ts'

export interface PageKey {
  readonly customerId: string
  readonly query: StreamRunsQuery
}

interface LivePagesOptions {
  readonly read: (key: PageKey) => Promise<PageContent>
  readonly changes: Pick<CustomerChanges, 'watch'>
  readonly maxPerCustomer?: number
}

interface OpenPage {
  readonly page: LiveRunPage
  readonly unwatch: () => void
  users: number
}

export class LiveRunPages {
  readonly #options: LivePagesOptions
  readonly #maxPerCustomer: number
  readonly #open = new Map<string, OpenPage>()
  readonly #perCustomer = new Counts()
  readonly #turns = new CustomerTurns()

  constructor(options: LivePagesOptions) {
    this.#options = options
    this.#maxPerCustomer = options.maxPerCustomer ?? 100
  }

  /** Each call must be followed by one of `leave`. */
  join(key: PageKey): { readonly page: LiveRunPage; readonly leave: () => void } {
    const name = nameOf(key)
    const open = this.#open.get(name) ?? this.#openPage(name, key)
    open.users += 1
    return { page: open.page, leave: () => this.#leave(name, key, open) }
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
    if (this.#perCustomer.of(customerId) >= this.#maxPerCustomer) throw tooManyPages(this.#maxPerCustomer)
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

const nameOf = ({ customerId, query }: PageKey): string =>
  JSON.stringify([customerId, ...Object.entries(query).sort(([one], [other]) => (one < other ? -1 : 1))])

const tooManyPages = (limit: number) =>
  new ServiceError(
    'STREAM_LIMIT_REACHED',
    `The customer already follows ${limit} different lists of runs. Close one or follow a list with fewer filters.`,
    5,
  )
