// The audit log: who did what. Requires the scope `audit:read`.

import type { CallOptions, Transport } from './transport.ts'
import type { AuditList, AuditQuery } from './wire.ts'

export class Audit {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Returns one page of entries, newest first. */
  list(query: AuditQuery = {}, options: CallOptions = {}): Promise<AuditList> {
    return this.#transport.call({ ...options, path: '/v1/audit', query })
  }
}
