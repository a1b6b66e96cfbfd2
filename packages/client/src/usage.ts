// Usage: aggregated metering data and the individual records.

import type { CallOptions, Transport } from './transport.ts'
import type { UsageEventPage, UsageEventsQuery, UsageQuery, UsageReport } from './wire.ts'

export class Usage {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  get(query: UsageQuery = {}, options: CallOptions = {}): Promise<UsageReport> {
    return this.#transport.call({ ...options, path: '/v1/usage', query })
  }

  /** Returns the same rows as CSV. */
  csv(query: UsageQuery = {}, options: CallOptions = {}): Promise<string> {
    return this.#transport.text({ ...options, path: '/v1/usage', query }, 'text/csv')
  }

  /** Returns one page of records, newest first. */
  events(query: UsageEventsQuery = {}, options: CallOptions = {}): Promise<UsageEventPage> {
    return this.#transport.call({ ...options, path: '/v1/usage/events', query })
  }
}
