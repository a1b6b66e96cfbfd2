// Usage: aggregated metering data.
import type { UsageQuery, Usage as UsageReport } from '@runwright/contract'
import type { CallOptions, Transport } from './transport.ts'

export class Usage {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  get(query: UsageQuery = {}, options: CallOptions = {}): Promise<UsageReport> {
    return this.#transport.call({ ...options, path: '/v1/usage', query })
  }
}
