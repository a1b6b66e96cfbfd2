// The agents that runs can use. Requires the scope `runs:read`.

import type { CallOptions, Transport } from './transport.ts'
import type { AgentList } from './wire.ts'

export class Agents {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options: CallOptions = {}): Promise<AgentList> {
    return this.#transport.call({ ...options, path: '/v1/agents' })
  }
}
