// The tools that runs can call. Requires the scope `runs:read`.

import type { CallOptions, Transport } from './transport.ts'
import type { ToolList } from './wire.ts'

export class Tools {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options: CallOptions = {}): Promise<ToolList> {
    return this.#transport.call({ ...options, path: '/v1/tools' })
  }
}
